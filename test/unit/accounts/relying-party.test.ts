import { expect, test } from 'bun:test'
import { relyingPartyOf } from '../../../src/accounts/relying-party.ts'

test.each([
  [
    'https://models.example.com',
    { id: 'models.example.com', origin: 'https://models.example.com' },
  ],
  [
    'https://gw.example.com:8443/ai',
    { id: 'gw.example.com', origin: 'https://gw.example.com:8443' },
  ],
  ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['http://gw.localhost', { id: 'gw.localhost', origin: 'http://gw.localhost' }],
  // Passkeys work only on this machine, at the port of the gateway.
  [undefined, { id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://models.example.com', undefined],
  ['http://127.0.0.1:8080', undefined],
  ['https://192.0.2.7', undefined],
  ['https://[2001:db8::7]', undefined],
  ['http://localhost.example.com', undefined],
] as const)('passkeys with the public URL %p', (publicUrl, party) => {
  expect(relyingPartyOf(publicUrl, 8080)).toEqual(party)
})
