import { describe, expect, test } from 'bun:test'
import type { Insertable } from 'kysely'
import { addPasskey } from '../../../src/accounts/passkey-store.ts'
import type { SignInOffer } from '../../../src/accounts/sign-in-ways.ts'
import { makeSignInUrl } from '../../../src/app/start/sign-in-url.ts'
import type { ConsoleUserTable } from '../../../src/store/tables/people-tables.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { nowMs, tools } from '../../support/store/row-helpers.ts'

const host = 'models.example.com'
const local: SignInOffer = { hasOpenId: false, rpId: 'localhost' }
const atHost: SignInOffer = { hasOpenId: false, rpId: host }
const withProvider: SignInOffer = { hasOpenId: true, rpId: undefined }
const password = { password_hash: 'hash' }
const both: SignInOffer = { hasOpenId: true, rpId: host }
const created = { source: 'open-id' }
const identity = { open_id: 'https://login.example.com ann' }

type Way = Partial<Insertable<ConsoleUserTable>> & { readonly passkey?: true }

/** Whether a start prints a link. The administrator has this way to sign in. */
const rows: readonly [what: string, way: Way, offer: SignInOffer, isPrinted: boolean][] = [
  ['nothing', {}, local, true],
  ['a password', password, local, false],
  ['a password, and is suspended', { ...password, suspended: 1 }, local, true],
  ['a password, and is no administrator', { ...password, role: 'member' }, local, true],
  ['a passkey', { passkey: true }, atHost, false],
  ['a passkey of another host name', { passkey: true }, local, true],
  ['a passkey, where passkeys do not work', { passkey: true }, withProvider, true],
  ['an identity at the provider', identity, withProvider, false],
  ['an identity, without a provider', identity, local, true],
  ['a password, created by the provider', { ...password, ...created }, withProvider, true],
  ['a password, created by a provider that is gone', { ...password, ...created }, local, false],
  ['a passkey, created by the provider', { passkey: true, ...created }, both, true],
  ['a passkey, created by a provider that is gone', { passkey: true, ...created }, atHost, false],
  ['an identity, created by the provider', { ...identity, ...created }, withProvider, false],
]

describe.each(engineFixtures('the link of a start'))('the link of a start on $kind', (fixture) => {
  test.each(rows)('an administrator with %s', async (_, { passkey, ...way }, offer, isPrinted) => {
    const { db, ...engine } = await fixture.openMigrated()
    const user = { role: 'admin', password_hash: null, created_at: 1 }
    const users = [
      { ...user, id: 'u_first', email: 'first@x.org' },
      { ...user, id: 'u_ann', email: 'ann@x.org', ...way },
    ]
    for (const each of users) await db.insertInto('console_user').values(each).execute()
    if (passkey) {
      const key = { credentialId: 'c', publicKey: 'k', counter: 0, name: 'n', transports: [] }
      await db
        .transaction()
        .execute((tx) =>
          addPasskey(tx, { ...tools, nowMs }, { ...key, userId: 'u_ann', rpId: host }),
        )
    }
    const place = { ...offer, baseUrl: 'http://gateway' }
    const url = await makeSignInUrl(
      { engine: { ...engine, db }, ...tools, nowMs },
      'u_first',
      place,
    )
    expect(url?.startsWith('http://gateway/console/sign-in#') ?? false).toBe(isPrinted)
  })
})
