import { expect, test } from 'bun:test'
import { emailDomain, normalDomain } from '../../../src/core/access/email-domain.ts'

test.each([
  ['Example.COM', 'example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
  ['example.com.', undefined],
  ['example', undefined],
  ['', undefined],
  ['a..b', undefined],
  ['example.com/x', undefined],
  ['example.com#x', undefined],
  ['example.com ', undefined],
  ['127.0.0.1', undefined],
  ['0x7f.1', undefined],
  ['[::1]', undefined],
  // Characters that a domain name maps to others: full width, a soft hyphen, the Kelvin sign.
  ['ｅxample.com', undefined],
  ['exam\u00adple.com', undefined],
  ['example\u212a.com', undefined],
] as const)('the domain %s is %s', (text, domain) => {
  expect(normalDomain(text)).toBe(domain)
})

test.each([
  ['a@example.com', 'example.com'],
  ['a@evil.example@example.com', 'example.com'],
  ['"a@example.com"@evil.example', 'evil.example'],
  ['@example.com', undefined],
  ['example.com', undefined],
  ['a@', undefined],
] as const)('the domain of %s is %s', (email, domain) => {
  expect(emailDomain(email)).toBe(domain)
})
