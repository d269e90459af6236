import { z } from 'zod'
import { step, definePlan } from '../../src/plan/define.ts'
const readCsv = { description: {name:'read'}, input: z.object({path: z.string(), limit: z.number().optional()}), output: z.object({rows: z.array(z.object({name:z.string(), n: z.number(), tag: z.string().nullable()})), any: z.unknown(), file: z.object({encoding: z.enum(['a','b'])}).nullable(), flag: z.boolean()}) }
const take = { description: {name:'take'}, input: z.object({name: z.string(), many: z.array(z.string()).optional(), flag: z.boolean().optional(), un: z.union([z.string(), z.number()]).optional(), deep: z.object({x: z.number()}).optional()}), output: z.object({n: z.number()}) }
const none = { description: {name:'none'}, input: z.object({}), output: z.object({n: z.number()}) }
const read = step('read', {tool: readCsv, input: {path: 'a.csv'}})
const t1 = step('t1', {tool: take, input: {name: read.output.rows.at(0).name, many: ['x', read.output.rows.at(1).name], flag: read.output.flag, un: read.output.rows.at(0).n, deep: {x: read.output.rows.at(0).n}}})
const t2 = step('t2', {tool: take, forEach: read.output.rows, input: (item) => ({name: item.name})})
const t3 = step('t3', {tool: take, forEach: t2.output, input: (item) => ({name: read.output.any, deep: {x: item.n}}), when: (item) => ({value: item.n, is: {minimum: 1}})})
const n = step('n', {tool: none, after: [read, t2, 'x']})
const p = step('p', {instruction: 'which?', executor: 'person', output: z.object({ok: z.boolean()}), input: {rows: read.output.rows}})
const q = step('q', {tool: take, input: {name: read.output.file.encoding, flag: p.output.ok}})
// @ts-expect-error wrong path
read.output.rowz
// @ts-expect-error wrong path
step('x', {tool: take, input: {name: read.output.rows.at(0).nam}})
// @ts-expect-error type
step('x', {tool: take, input: {name: read.output.rows.at(0).n}})
// @ts-expect-error nullable
step('x', {tool: take, input: {name: read.output.rows.at(0).tag}})
// @ts-expect-error missing
step('x', {tool: take})
// @ts-expect-error missing input
step('x', {tool: take, input: {}})
// @ts-expect-error unknown property
const rr = step("x", {tool: take, input: {name: "a", nam: 3}}); const tt: 5 = rr
// @ts-expect-error item
step('x', {tool: take, forEach: read.output.rows, input: (item) => ({name: item.n})})
// @ts-expect-error not an array
step('x', {tool: take, forEach: read.output.file, input: (item) => ({name: 'x'})})
console.log(JSON.stringify(definePlan({id:'p', goal:'g', steps:[read,t1,t2,t3,{...n.step, after:['read']},p,q]}),null,1))
