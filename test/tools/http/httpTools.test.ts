import { once } from 'node:events'
import { createServer as createSocketServer, type AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../../src/plan/json.ts'
import { carryOut } from '../../../src/tools/carryOut.ts'
import { httpTools, type HttpToolsOptions } from '../../../src/tools/http/httpTools.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import { toolContext } from '../toolContext.ts'
import { startServer, type RealServer } from './realServer.ts'

let server: RealServer
let other: RealServer
beforeAll(async () => {
  other = await startServer((asked, response) => response.end(JSON.stringify(asked.headers)))
  server = await startServer(({ path, headers }, response) => {
    const send = (status: number, more: Record<string, string>, body: string | Buffer = '') => {
      response.writeHead(status, more)
      response.end(body)
    }
    const query = new URL(path, 'http://x').searchParams
    switch (new URL(path, 'http://x').pathname) {
      case '/text':
        send(200, { 'content-type': 'text/plain' }, 'grüß')
        break
      case '/latin1':
        send(200, { 'content-type': 'text/plain; charset=ISO-8859-1' }, Buffer.from('grüß', 'latin1'))
        break
      case '/json':
        send(200, { 'content-type': 'application/json' }, '{"rows":[{"n":1}],"__proto__":{"polluted":true}}')
        break
      case '/bytes':
        send(200, {}, Buffer.from([0xff, 0, 0xfe]))
        break
      case '/gzip':
        send(200, { 'content-encoding': 'gzip' }, gzipSync('x'.repeat(Number(query.get('length') ?? 5))))
        break
      case '/deflate':
        send(200, { 'content-encoding': 'deflate' }, deflateSync('small'))
        break
      case '/br':
        send(200, { 'content-encoding': 'br' }, brotliCompressSync('small'))
        break
      case '/broken-gzip':
        send(200, { 'content-encoding': 'gzip' }, 'not gzip')
        break
      case '/status':
        send(Number(query.get('code')), { 'retry-after': '7' }, query.get('text') ?? '')
        break
      case '/to':
        send(Number(query.get('code') ?? 302), { location: query.get('url') ?? '' })
        break
      case '/loop':
        send(302, { location: '/loop' })
        break
      case '/echo':
        send(200, {}, JSON.stringify(headers))
        break
      case '/empty':
        send(204, {})
        break
      case '/endless': {
        response.writeHead(200)
        const more = () => {
          if (!response.destroyed && response.write('x'.repeat(10_000))) setImmediate(more)
          else response.once('drain', more)
        }
        more()
        break
      }
      case '/half':
        response.writeHead(200, { 'content-length': '100' })
        response.write('half', () => response.destroy())
        break
      case '/hang-up':
        response.destroy()
        break
      default: // '/never' answers nothing
    }
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
})

const toolsFor = (options: Partial<HttpToolsOptions> = {}) =>
  httpTools({ hosts: [server.host], allowPrivate: true, ...options })
const run = (tool: Tool, input: Json, context = toolContext()) => carryOut(tool, input, context)
const fetchPath = (path: string, more: Record<string, Json> = {}, options: Partial<HttpToolsOptions> = {}) =>
  run(toolsFor(options)[0], { url: server.url(path), ...more })
const sendPath = (path: string, more: Record<string, Json> = {}, options: Partial<HttpToolsOptions> = {}) =>
  run(toolsFor(options)[1], { url: server.url(path), ...more })
const body = (value: unknown) => ({ output: { status: 200, body: value } })
const failure = (code: string, more: object = {}) => ({ failure: { code, ...more } })
const says = (text: string | RegExp): unknown => expect.stringMatching(text)

describe('http_fetch', () => {
  it('gives text, by the charset that the server names', async () => {
    expect(await fetchPath('/text')).toMatchObject(body('grüß'))
    expect(await fetchPath('/latin1')).toMatchObject(body('grüß'))
  })

  it('gives JSON that steps can point into', async () => {
    const result = await fetchPath('/json', { as: 'json' })
    expect(result).toMatchObject(body({ rows: [{ n: 1 }] }))
    expect({}).not.toHaveProperty('polluted')
  })

  it('gives bytes as base64', async () => {
    expect(await fetchPath('/bytes', { as: 'base64' })).toMatchObject(body('/wD+'))
  })

  it.each([
    ['/text', 'json', 'BODY_NOT_JSON', 'grüß'],
    ['/bytes', 'text', 'BODY_NOT_TEXT', 'utf-8'],
  ])('says that %s is not %s', async (path, as, code, text) => {
    expect(await fetchPath(path, { as })).toMatchObject(failure(code, { retryable: false, message: says(text) }))
  })

  it.each(['/gzip', '/deflate', '/br'])('unpacks %s', async (path) => {
    expect(await fetchPath(path)).toMatchObject(body(path === '/gzip' ? 'xxxxx' : 'small'))
  })

  it('says that a body cannot be unpacked', async () => {
    expect(await fetchPath('/broken-gzip')).toMatchObject(failure('BODY_UNREADABLE'))
  })

  it('asks for the head alone', async () => {
    expect(await fetchPath('/text', { method: 'HEAD' })).toMatchObject({
      output: { body: '', headers: { 'content-type': 'text/plain' } },
    })
    expect(await fetchPath('/text', { method: 'HEAD', as: 'json' })).toMatchObject(body(null))
  })

  it.each([
    [404, false],
    [400, false],
    [429, true],
    [503, true],
    [500, true],
  ])('fails on status %i; retryable: %s', async (code, retryable) => {
    const expected = { retryable, message: says(`/status answered ${code}: out of order`), hint: says('Retry-After 7') }
    expect(await fetchPath(`/status?code=${code}&text=out+of+order`)).toMatchObject(failure('HTTP_STATUS', expected))
  })

  it('gives any status when asked to', async () => {
    expect(await fetchPath('/status?code=404&text=none', { onStatus: 'give' })).toMatchObject({
      output: { status: 404, body: 'none' },
    })
  })

  it('does not put the query of a URL into a failure', async () => {
    const result = await fetchPath('/status?code=401&token=secret')
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  it('is described as a tool that reads', () => {
    const [fetchTool, sendTool] = toolsFor()
    expect(fetchTool.description).toMatchObject({ name: 'http_fetch', effects: 'read', idempotent: true })
    expect(sendTool.description).toMatchObject({ name: 'http_send', effects: 'external', idempotent: false })
    expect(fetchTool.description.description).toContain(server.host)
  })
})

describe('hosts', () => {
  it.each([
    ['another port', () => other.url('/'), 'HOST_REFUSED'],
    ['the same address by another name', () => `http://localhost:${server.port}/`, 'HOST_REFUSED'],
    ['another host', () => 'http://example.com/', 'HOST_REFUSED'],
    ['another scheme', () => 'file:///etc/passwd', 'URL_INVALID'],
    ['a user in the URL', () => `http://me:pw@${server.host}/`, 'URL_INVALID'],
    ['what is no URL', () => '/text', 'URL_INVALID'],
  ])('refuses %s', async (_, url, code) => {
    const result = await run(toolsFor()[0], { url: url() })
    expect(result).toMatchObject(failure(code, { retryable: false }))
    expect(JSON.stringify(result)).not.toContain('pw')
  })

  it('that are not named are not even looked up', async () => {
    expect(await run(httpTools({ hosts: [] })[0], { url: 'http://example.com/' })).toMatchObject(
      failure('HOST_REFUSED', { hint: says('No host') }),
    )
  })

  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])(
    'named %s do not lead into this machine unless that is allowed',
    async (name) => {
      const count = server.asked.length
      const hosts = [`${name}:${server.port}`]
      const result = await run(httpTools({ hosts })[0], { url: `http://${name}:${server.port}/text` })
      expect(result).toMatchObject(failure('HOST_PRIVATE', { retryable: false, hint: says('allowPrivate') }))
      expect(server.asked.length).toBe(count)
    },
  )

  it('get the headers that are set for them, and no other host does', async () => {
    const options = { hosts: [server.host, other.host], headers: { [server.host]: { Authorization: 'Bearer secret' } } }
    expect(await fetchPath('/echo', { as: 'json', headers: { 'X-Mine': '1' } }, options)).toMatchObject(
      body({ authorization: 'Bearer secret', 'x-mine': '1' }),
    )
    const away = `/to?url=${encodeURIComponent(other.url('/'))}`
    const result = await fetchPath(away, { as: 'json', headers: { cookie: 'a=b', 'x-mine': '1' } }, options)
    expect(result).toMatchObject({ output: { url: other.url('/') } })
    const got = 'output' in result ? (result.output as { body: object }).body : {}
    for (const name of ['authorization', 'cookie', 'x-mine']) expect(got).not.toHaveProperty(name)
  })

  it.each(['https://example.com', 'example.com/path', '', 'a b', '*.1.2.3.4', 'user@host', '*', 'a.*.com'])(
    'cannot be written as "%s"',
    (entry) => {
      expect(() => httpTools({ hosts: [entry] })).toThrow(expect.objectContaining({ code: 'HOST_INVALID' }))
    },
  )

  it('must be named where headers are set for them', () => {
    expect(() => httpTools({ hosts: ['a.com'], headers: { 'b.com': {} } })).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID' }),
    )
  })
})

describe('headers', () => {
  it.each(['Host', 'Content-Length', 'Transfer-Encoding', 'Proxy-Authorization'])(
    "%s is not a step's to set",
    async (name) => {
      expect(await fetchPath('/echo', { headers: { [name]: 'x' } })).toMatchObject(
        failure('HEADER_REFUSED', { retryable: false }),
      )
    },
  )

  it.each([{ 'x-a': 'line\r\nbreak' }, { 'bad name': 'x' }])('%j is not sent', async (headers) => {
    expect(await fetchPath('/echo', { headers })).toMatchObject(failure('REQUEST_INVALID', { retryable: false }))
  })
})

describe('redirects', () => {
  const to = (url: string, code = 302) => `/to?code=${code}&url=${encodeURIComponent(url)}`

  it('are followed, and the final address is given', async () => {
    expect(await fetchPath(to('/text'))).toMatchObject({ output: { body: 'grüß', url: server.url('/text') } })
    expect(await fetchPath(to(to('/text', 308), 301))).toMatchObject(body('grüß'))
  })

  it.each([
    ['another port', () => other.url('/'), 'HOST_REFUSED'],
    ['another host', () => 'http://169.254.169.254/latest/meta-data', 'HOST_REFUSED'],
    ['a file', () => 'file:///etc/passwd', 'URL_INVALID'],
    ['no URL', () => 'http://[', 'REDIRECT_REFUSED'],
  ])('to %s are refused', async (_, url, code) => {
    const count = other.asked.length
    expect(await fetchPath(to(url()))).toMatchObject(failure(code, { retryable: false }))
    expect(other.asked.length).toBe(count)
  })

  it('that go round end', async () => {
    expect(await fetchPath('/loop')).toMatchObject(failure('REDIRECT_REFUSED', { message: says('more than 10') }))
  })

  it('are not followed by http_send', async () => {
    const count = server.asked.length
    expect(await sendPath(to('/text', 307), { json: 1 })).toMatchObject(
      failure('HTTP_STATUS', { message: says('307'), hint: says('/text') }),
    )
    expect(server.asked.length).toBe(count + 1)
  })
})

describe('limits', () => {
  it('stop an endless answer while it comes', async () => {
    expect(await fetchPath('/endless', {}, { maxBytes: 50_000 })).toMatchObject(
      failure('BODY_TOO_LARGE', { message: says('50000 bytes'), retryable: false }),
    )
  })

  it('count after unpacking: a small body cannot blow up', async () => {
    expect(await fetchPath('/gzip?length=30000000', {}, { maxBytes: 100_000 })).toMatchObject(failure('BODY_TOO_LARGE'))
    expect(await fetchPath('/gzip?length=100000', {}, { maxBytes: 100_000 })).toMatchObject({ output: { status: 200 } })
  })

  it('end a wait', async () => {
    expect(await fetchPath('/never', {}, { timeoutMs: 30 })).toMatchObject(
      failure('HTTP_TIMEOUT', { retryable: true, message: says('30 ms') }),
    )
  })

  it('leave no connection open', async () => {
    await fetchPath('/text')
    await fetchPath('/endless', {}, { maxBytes: 10 })
    await expect.poll(() => server.connections()).toBe(0)
  })
})

describe('the signal', () => {
  it('ends a request that is on its way, and the connection with it', async () => {
    const context = toolContext()
    const count = server.asked.length
    const running = run(toolsFor()[0], { url: server.url('/never') }, context)
    await expect.poll(() => server.asked.length).toBe(count + 1)
    context.abort(new Error('the run was cancelled'))
    expect(await running).toMatchObject(failure('ABORTED', { message: says('the run was cancelled') }))
    await expect.poll(() => server.connections()).toBe(0)
  })

  it('that has fired already lets nothing out', async () => {
    const context = toolContext()
    context.abort()
    const count = server.asked.length
    expect(await run(toolsFor()[0], { url: server.url('/text') }, context)).toMatchObject(failure('ABORTED'))
    expect(server.asked.length).toBe(count)
  })
})

describe('trouble on the way', () => {
  it('says that nobody listens', async () => {
    const closed = createSocketServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const host = `127.0.0.1:${(closed.address() as AddressInfo).port}`
    closed.close()
    await once(closed, 'close')
    const [fetchTool, sendTool] = httpTools({ hosts: [host], allowPrivate: true })
    for (const tool of [fetchTool, sendTool]) {
      expect(await run(tool, { url: `http://${host}/` })).toMatchObject(
        failure('HOST_UNREACHABLE', { retryable: true, message: says(host) }),
      )
    }
  })

  it.each(['/half', '/hang-up'])('says that the connection was lost: %s', async (path) => {
    expect(await fetchPath(path)).toMatchObject(failure('CONNECTION_LOST', { retryable: true }))
  })

  it('is not tried again where that could double an effect', async () => {
    expect(await sendPath('/hang-up', { json: 1 })).toMatchObject(
      failure('CONNECTION_LOST', { retryable: false, uncertain: true, hint: says('look there') }),
    )
    expect(await sendPath('/hang-up', { method: 'PUT', json: 1 })).toMatchObject(
      failure('CONNECTION_LOST', { retryable: true }),
    )
    expect(await sendPath('/hang-up', { json: 1 }, { honoursKey: true })).toMatchObject(
      failure('CONNECTION_LOST', { retryable: true }),
    )
    expect(await sendPath('/status?code=500', { json: 1 })).toMatchObject(failure('HTTP_STATUS', { retryable: false }))
    expect(await sendPath('/status?code=503', { json: 1 })).toMatchObject(failure('HTTP_STATUS', { retryable: true }))
    expect(await sendPath('/never', { json: 1 }, { timeoutMs: 30 })).toMatchObject(
      failure('HTTP_TIMEOUT', { retryable: false }),
    )
  })
})

describe('http_send', () => {
  const last = () => server.asked.at(-1)

  it('sends JSON with the key of the step, the same in every attempt', async () => {
    await sendPath('/echo', { json: { n: 'ü' } })
    expect(last()).toMatchObject({
      method: 'POST',
      body: '{"n":"ü"}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'run-1/step' },
    })
  })

  it('cannot be talked out of its key', async () => {
    await sendPath('/echo', { text: 'hi', headers: { 'Idempotency-Key': 'mine', 'Content-Type': 'text/csv' } })
    expect(last()).toMatchObject({
      body: 'hi',
      headers: { 'content-type': 'text/csv', 'idempotency-key': 'run-1/step' },
    })
  })

  it('sends without a body, and takes an answer without one', async () => {
    expect(await sendPath('/empty', { method: 'DELETE', as: 'json' })).toMatchObject({
      output: { status: 204, body: null },
    })
    expect(last()).toMatchObject({ method: 'DELETE', body: '' })
  })

  it('has one body', async () => {
    expect(await sendPath('/echo', { json: 1, text: 'a' })).toMatchObject(failure('INPUT_INVALID', { path: '/text' }))
  })

  it('does not read', async () => {
    expect(await sendPath('/echo', { method: 'GET' })).toMatchObject(failure('INPUT_INVALID', { path: '/method' }))
  })
})
