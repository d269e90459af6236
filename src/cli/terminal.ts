// A terminal as far as the command uses one. Some that are one only by name say that their size is 0.

export interface TerminalStream {
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write(text: string): unknown
}

export function columnsOfTerminal({ columns = 0 }: Pick<TerminalStream, 'columns'>): number {
  return columns > 0 ? columns : 80
}

export function rowsOfTerminal({ rows = 0 }: Pick<TerminalStream, 'rows'>): number {
  return rows > 0 ? rows : 24
}
