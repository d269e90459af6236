import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findAllowed, isPrivateAddress, parseHosts } from '../../../src/tools/http/allowedHosts.ts'

const allows = (entry: string, url: string) => findAllowed(parseHosts([entry]), new URL(url)) !== undefined

describe('an entry of the allow-list', () => {
  it.each([
    ['example.com', 'https://example.com/a', true],
    ['example.com', 'http://example.com:80/', true],
    ['example.com', 'https://EXAMPLE.com./', true],
    ['Example.COM', 'https://example.com/', true],
    ['example.com', 'https://example.com:8443/', false],
    ['example.com', 'https://www.example.com/', false],
    ['example.com', 'https://example.com.evil.net/', false],
    ['example.com', 'https://evilexample.com/', false],
    ['example.com', 'http://example.com:443/', false],
    ['example.com:8443', 'https://example.com:8443/', true],
    ['example.com:8443', 'https://example.com/', false],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:80', 'http://example.com/', true],
    ['example.com:80', 'https://example.com/', false],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://evilexample.com/', false],
    ['*.example.com:8080', 'http://a.example.com:8080/', true],
    ['[::1]:8080', 'http://[::1]:8080/', true],
    ['münchen.de', 'https://xn--mnchen-3ya.de/', true],
  ])('%s for %s: %s', (entry, url, expected) => {
    expect(allows(entry, url)).toBe(expected)
  })

  it('allows no name but its own, however the other one is written', () => {
    fc.assert(
      fc.property(fc.domain(), fc.webUrl({ validSchemes: ['http', 'https'] }), (domain, text) => {
        const url = new URL(text)
        const isSame = url.hostname.replace(/\.$/, '') === domain.toLowerCase() && url.port === ''
        expect(allows(domain, text)).toBe(isSame)
      }),
    )
  })
})

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '::1',
    '::',
    '[::1]',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true)
  })

  it.each(['1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])('%s is public', (address) => {
    expect(isPrivateAddress(address)).toBe(false)
  })
})
