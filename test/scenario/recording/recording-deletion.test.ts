import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import { addRecording, setPolicy } from '../../support/store/recording-seed.ts'

/*
 * What happens to recordings when a key, a membership, a user or an account ends. Each row continues after the one
 * before; at first the key belongs to Ann.
 */

const people = { owner: 'u_owen', ann: 'u_ann', amy: 'u_amy', operator: 'u_root' }
type Person = keyof typeof people

let fixture: ConsoleFixture
let recordingId: string
const cookies = new Map<Person, string>()

beforeAll(async () => {
  fixture = await openConsoleFixture()
  const { db } = fixture.engine
  const amy = { id: people.amy, email: 'amy@example.com', password_hash: null, role: 'member' }
  await db
    .insertInto('console_user')
    .values({ ...amy, created_at: 1 })
    .execute()
  await db
    .insertInto('membership')
    .values({ user_id: people.amy, account_id: 'acme', role: 'member' })
    .execute()
  await db
    .updateTable('api_key')
    .set({ owner_user_id: people.ann })
    .where('id', '=', 'key_a2')
    .execute()
  for (const who of Object.keys(people) as Person[])
    cookies.set(who, await fixture.signIn(people[who]))
  await setPolicy(fixture, { scope: 'all', readers: 'own-keys' })
  recordingId = await addRecording(fixture, { keyId: 'key_a2' })
})
afterAll(() => fixture.close())

async function send(who: Person, method: string, path: string, body?: object) {
  const response = await fixture.send(method, `/console/api${path}`, {
    cookie: cookies.get(who),
    ...(body && { body }),
  })
  return { status: response.status, text: await response.text() }
}

/** Whether this person sees the recording; all ways to read it must agree. */
async function sees(who: Person): Promise<boolean> {
  const found: boolean[] = []
  for (const [method, path] of [
    ['GET', '/accounts/acme/recordings'],
    ['POST', '/accounts/acme/recordings/export'],
    ['POST', `/recordings/${recordingId}/reveal`],
  ] as const) {
    const { status, text } = await send(who, method, path)
    found.push(status === 200 && text.includes(recordingId))
  }
  expect([who, new Set(found).size]).toEqual([who, 1])
  return found[0] === true
}

const steps: [string, (() => Promise<{ status: number }>) | undefined, Person[]][] = [
  ['initially', undefined, ['owner', 'ann']],
  ['the key is deleted', () => send('ann', 'DELETE', '/keys/key_a2'), ['owner', 'ann']],
  [
    'its user leaves the account',
    () => send('ann', 'DELETE', '/accounts/acme/members?user=u_ann'),
    ['owner'],
  ],
  ['the user is deleted', () => send('operator', 'DELETE', '/operate/users/u_ann'), ['owner']],
  [
    'recording is disabled',
    () => send('owner', 'PATCH', '/accounts/acme/recording', { scope: 'off' }),
    ['owner'],
  ],
  [
    'the account is suspended',
    () => send('operator', 'PATCH', '/operate/accounts/acme', { status: 'suspended' }),
    ['owner'],
  ],
  [
    'its end user’s recordings are erased',
    () => send('operator', 'POST', '/accounts/acme/recordings/erase', { endUser: 'ann' }),
    [],
  ],
]

test.each(steps)('%s', async (_, change, readers) => {
  if (change) expect((await change()).status).toBe(200)
  for (const who of Object.keys(people) as Person[])
    expect([who, await sees(who)]).toEqual([who, readers.includes(who)])
})

test('a key that is converted shows its recordings to owners only', async () => {
  await setPolicy(fixture, { scope: 'all', readers: 'own-keys' })
  const { db } = fixture.engine
  await db
    .updateTable('api_key')
    .set({ owner_user_id: people.amy })
    .where('id', '=', 'key_a1')
    .execute()
  recordingId = await addRecording(fixture, { keyId: 'key_a1', endUser: 'ben' })
  expect(await sees('amy')).toBe(true)
  const left = await send('owner', 'DELETE', '/accounts/acme/members?user=u_amy')
  const converted = await send('owner', 'POST', '/keys/key_a1/convert')
  expect([left.status, converted.status]).toEqual([200, 200])
  // Also after a return.
  const back = { email: 'amy@example.com', role: 'member' }
  expect((await send('operator', 'POST', '/accounts/acme/members', back)).status).toBe(200)
  expect([await sees('amy'), await sees('owner'), await sees('operator')]).toEqual([
    false,
    true,
    false,
  ])
})
