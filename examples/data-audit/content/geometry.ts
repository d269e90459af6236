// Maps as tables: one row per shape, with what it is called, what is known of it, and where it lies.
import type { Cell, FlatTable } from './flatten.ts'
import { isCell } from './flatten.ts'

type Numbers = readonly number[]
interface Shape {
  readonly type: string | null
  readonly id?: unknown
  readonly properties?: Readonly<Record<string, unknown>> | null
  readonly arcs?: unknown
  readonly coordinates?: unknown
  readonly geometries?: readonly Shape[]
}
interface Topology {
  readonly objects: Readonly<Record<string, Shape>>
  readonly arcs: readonly (readonly Numbers[])[]
  readonly transform?: { readonly scale: Numbers; readonly translate: Numbers }
}

/** West, south, east, north. */
type Box = [number, number, number, number]
const nowhere = (): Box => [Infinity, Infinity, -Infinity, -Infinity]

/** One table for each object of a topology. */
export function tablesOfTopology(topology: Topology, name: string): FlatTable[] {
  const arcs = topology.arcs.map((arc) => ({ points: arc.length, box: boxOfArc(arc, topology.transform) }))
  return Object.entries(topology.objects).map(([key, object]) => {
    const shapes = object.geometries ?? [object]
    return { name: `${name}/${key}`, rows: shapes.map((shape) => rowOfShape(shape, arcs)) }
  })
}

function rowOfShape(
  shape: Shape,
  arcs: readonly { readonly points: number; readonly box: Box }[],
): ReadonlyMap<string, Cell> {
  const box = nowhere()
  let points = 0
  const numbers = numbersIn(shape.arcs)
  for (const number of numbers) {
    const arc = arcs[number < 0 ? ~number : number] // a negative number: the arc is walked backwards
    if (arc === undefined) continue
    points += arc.points
    widen(box, arc.box)
  }
  for (const point of pointsIn(shape.coordinates)) {
    points += 1
    widenByPoint(box, point)
  }
  return row(shape, [['points', points], ...boxCells(box)]) // prettier-ignore
}

/** The features of a GeoJSON file as one table. */
export function tableOfFeatures(collection: { readonly features?: readonly unknown[] }, name: string): FlatTable {
  const features = collection.features ?? [collection]
  const rows = (features as readonly (Shape & { readonly geometry?: Shape | null })[]).map((feature) => {
    const shape = feature.geometry ?? feature
    const points = [...pointsIn(shape.coordinates)]
    const [only] = points
    const place: [string, Cell][] =
      points.length === 1 && only !== undefined
        ? [['longitude', only[0] ?? null], ['latitude', only[1] ?? null], ...(only.length > 2 ? [['altitude', only[2] ?? null] as [string, Cell]] : [])] // prettier-ignore
        : [['points', points.length], ...boxCells(points.reduce<Box>((box, point) => widenByPoint(box, point), nowhere()))] // prettier-ignore
    return row({ ...feature, type: shape.type }, place)
  })
  return { name, rows }
}

function row(shape: Shape, place: readonly (readonly [string, Cell])[]): ReadonlyMap<string, Cell> {
  const cells = new Map<string, Cell>()
  if (shape.id !== undefined) cells.set('id', isCell(shape.id) ? shape.id : JSON.stringify(shape.id))
  for (const [key, value] of Object.entries(shape.properties ?? {})) {
    cells.set(cells.has(key) ? `properties.${key}` : key, isCell(value) ? value : JSON.stringify(value))
  }
  cells.set(cells.has('type') ? 'geometry' : 'type', shape.type)
  for (const [key, value] of place) cells.set(cells.has(key) ? `geometry.${key}` : key, value)
  return cells
}

function boxCells([west, south, east, north]: Box): [string, Cell][] {
  const cell = (value: number): Cell => (Number.isFinite(value) ? Number(value.toFixed(6)) : null)
  return [['west', cell(west)], ['south', cell(south)], ['east', cell(east)], ['north', cell(north)]] // prettier-ignore
}

function boxOfArc(arc: readonly Numbers[], transform: Topology['transform']): Box {
  const box = nowhere()
  let x = 0
  let y = 0
  for (const [dx = 0, dy = 0] of arc) {
    if (transform === undefined) widenByPoint(box, [dx, dy])
    else {
      x += dx // quantized arcs hold differences
      y += dy
      const [[kx = 1, ky = 1], [tx = 0, ty = 0]] = [transform.scale, transform.translate]
      widenByPoint(box, [x * kx + tx, y * ky + ty])
    }
  }
  return box
}

function widenByPoint(box: Box, [x = NaN, y = NaN]: Numbers): Box {
  widen(box, [x, y, x, y])
  return box
}
function widen(box: Box, other: Box): void {
  box[0] = Math.min(box[0], other[0])
  box[1] = Math.min(box[1], other[1])
  box[2] = Math.max(box[2], other[2])
  box[3] = Math.max(box[3], other[3])
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return Array.isArray(value) ? value.flatMap((item: unknown) => numbersIn(item)) : []
}
function* pointsIn(value: unknown): Generator<Numbers> {
  if (!Array.isArray(value)) return
  if (value.every((item): item is number => typeof item === 'number')) {
    if (value.length >= 2) yield value
  } else for (const item of value) yield* pointsIn(item)
}
