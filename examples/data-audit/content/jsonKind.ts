// What kind of thing a JSON text is: a table, a map, a grid, or something nested that must be flattened first.
import type { Format } from '../formats.ts'
import type { Outline } from './jsonOutline.ts'

const geometryTypes = [
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
]

/** The format of a JSON text by its outline, and in words why. */
export function jsonKindOf(outline: Outline): { readonly format: Format; readonly because: string } {
  if (outline.type === 'scalar') return { format: 'json-nested', because: 'a single value' }
  return outline.type === 'array' ? kindOfArray(outline.items) : kindOfObject(outline.fields)
}

function kindOfArray(items: readonly Outline[]): { readonly format: Format; readonly because: string } {
  if (items.length === 0) return { format: 'json-nested', because: 'an empty array' }
  const rows = items.filter((item) => item.type === 'object')
  if (rows.length < items.length) {
    const scalars = items.every((item) => item.type === 'scalar')
    return {
      format: 'json-nested',
      because: scalars ? 'an array of single values' : 'an array whose items are not all objects',
    }
  }
  const nested = new Set(
    rows.flatMap(({ fields }) => [...fields].filter(([, field]) => field.type !== 'scalar').map(([key]) => key)),
  )
  if (nested.size > 0)
    return { format: 'json-nested', because: `an array of objects with objects or arrays in ${quoted(nested)}` }
  return { format: 'json-rows', because: 'an array of flat objects' }
}

function kindOfObject(fields: ReadonlyMap<string, Outline>): { readonly format: Format; readonly because: string } {
  const type = scalarText(fields.get('type'))
  if (type === 'Topology') return { format: 'topojson', because: '"type": "Topology"' }
  if (
    type === 'FeatureCollection' ||
    type === 'Feature' ||
    (geometryTypes.includes(type) && (fields.has('coordinates') || fields.has('geometries')))
  ) {
    return { format: 'geojson', because: `"type": "${type}"` }
  }
  const values = fields.get('values')
  const sizes = ['width', 'height'].every((key) => /^\d+$/.test(scalarText(fields.get(key))))
  if (
    sizes &&
    values?.type === 'array' &&
    values.items.every((item) => item.type === 'scalar' && item.of === 'number')
  ) {
    return {
      format: 'json-grid',
      because: `numbers in a grid of ${scalarText(fields.get('width'))} by ${scalarText(fields.get('height'))}`,
    }
  }
  const tables = [...fields].filter(
    ([, field]) => field.type === 'array' && field.items.every((item) => item.type === 'object'),
  )
  if (tables.length > 0)
    return { format: 'json-nested', because: `an object of tables: ${quoted(tables.map(([key]) => key))}` }
  const flat = [...fields.values()].every((field) => field.type === 'scalar')
  return {
    format: 'json-nested',
    because: flat ? 'one flat object' : 'one object with objects or arrays in it',
  }
}

function scalarText(outline: Outline | undefined): string {
  return outline?.type === 'scalar' ? outline.text : ''
}

function quoted(keys: Iterable<string>): string {
  const names = [...keys]
  return (
    names
      .slice(0, 4)
      .map((key) => `"${key}"`)
      .join(', ') + (names.length > 4 ? ', …' : '')
  )
}
