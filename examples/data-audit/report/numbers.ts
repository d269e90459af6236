// Numbers as people read them.

/** @example formatCount(1234567) // '1,234,567' */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** A true minus sign, which is as wide as a digit. */
function signed(text: string): string {
  return text.replace('-', '\u2212')
}

/** Whole numbers in full up to a million, others to four digits. @example formatNumber(0.123456) // '0.1235' */
export function formatNumber(value: number): string {
  return value < 0 ? signed(positive(value)) : positive(value)
}

function positive(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1e12 || size < 1e-4) return value.toExponential(2)
  if (size >= 1e6) return `${trim((value / (size >= 1e9 ? 1e9 : 1e6)).toFixed(2))} ${size >= 1e9 ? 'bn' : 'm'}`
  if (Number.isInteger(value)) return size < 10_000 ? String(value) : formatCount(value)
  return size >= 10_000 ? formatCount(Math.round(value)) : trim(value.toPrecision(4))
}

/** @example formatBytes(2018388) // '2.0 MB' */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${String(bytes)} B`
  return bytes < 1e6 ? `${String(Math.round(bytes / 1000))} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** @example formatSeconds(0.0123) // '12 ms' */
export function formatSeconds(seconds: number): string {
  return seconds < 1 ? `${String(Math.round(seconds * 1000))} ms` : `${seconds.toFixed(1)} s`
}

export function formatPercent(share: number): string {
  if (share > 0 && share < 0.01) return '<1 %'
  if (share > 0.99 && share < 1) return '>99 %'
  return `${String(Math.round(share * 100))} %`
}

function trim(text: string): string {
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text
}
