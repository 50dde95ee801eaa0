import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { rotateSecret } from '../../../src/app/secrets/rotate-secret.ts'
import { sealedColumns } from '../../../src/app/secrets/sealed-columns.ts'
import { eraseRecordings } from '../../../src/recording/erase-recordings.ts'
import { findRecording, listRecordings } from '../../../src/recording/read-recordings.ts'
import { write } from '../../../src/store/changes/write.ts'
import { lockFile } from '../../../src/store/engine/file-lock.ts'
import { noteSecret, openVault } from '../../../src/store/secrets/open-vault.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { atEnd } from '../../support/at-end.ts'
import { startGateway } from '../../support/gateway/start-gateway.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { addRecording, setPolicy } from '../../support/store/recording-seed.ts'
import { runWords } from '../../unit/cli/run-line.ts'
import {
  addResponse,
  contents,
  filled,
  former,
  opened,
  rotationOf,
  secret,
} from './rotation-fixture.ts'
import { steppedEngine } from './stepped-engine.ts'

const values = 45

describe.each(engineFixtures('secret rotation'))('rotating the secret on $kind', (fixture) => {
  test('the list of sealed columns is that of the schema', async () => {
    const { db } = await fixture.openMigrated()
    const tables = await db.introspection.getTables()
    const found = tables.flatMap(({ name, columns }) =>
      columns.map((each) => `${name}.${each.name}`).filter((each) => each.endsWith('_sealed')),
    )
    const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`)
    expect(listed.toSorted()).toEqual(found.toSorted())
  })

  test('replicas with either secret work throughout, and the former one ends when no replica needs it', async () => {
    const engine = await fixture.openMigrated()
    const running = await filled(engine, values)
    const hash = running.lookupHash('a session')
    const both = await opened(engine, secret, former)
    expect(both.secretIndex).toBe(1)
    const written = await contents(engine, running)

    const first = await rotateSecret(rotationOf(engine, { untilNoticed: () => running.reload() }))
    expect(first).toEqual({ resealed: values + 2, waitingFor: ['one'], unreadable: [] })
    const started = await opened(engine, secret)
    await both.reload()
    expect(both.secretIndex).toBe(0)
    for (const vault of [running, both, started, await opened(engine, former)]) {
      expect(await contents(engine, vault)).toEqual(written)
      // Sessions, tokens and cookies from before the rotation are still found.
      expect(vault.lookupHash('a session')).toBe(hash)
      expect(started.open(vault.seal('new', 'p'), 'p')).toBe('new')
    }
    expect(await rotateSecret(rotationOf(engine))).toEqual({
      resealed: 0,
      waitingFor: ['one'],
      unreadable: [],
    })

    await noteSecret(engine.db, 'one', started.secretId)
    expect(await rotateSecret(rotationOf(engine))).toEqual({
      resealed: 0,
      waitingFor: [],
      unreadable: [],
    })
    expect(await openVault(engine.db, [former])).toBeUndefined()
    const after = await opened(engine, secret)
    expect(after.ring.sealKeys.size).toBe(1)
    expect(await contents(engine, after)).toEqual(written)
    expect(await rotateSecret(rotationOf(engine))).toEqual({
      resealed: 0,
      waitingFor: [],
      unreadable: [],
    })
    // The keys of the former secret do not open the present database.
    const { rows } = await sql<{ value: string }>`SELECT value FROM fact`.execute(engine.db)
    expect(rows.filter(({ value }) => value.includes(former))).toEqual([])
  })

  test('values that no secret opens are named, and the former secret stays valid until they are gone', async () => {
    const engine = await fixture.openMigrated()
    const running = await filled(engine, values)
    await sql`UPDATE replica SET seen_at = 1`.execute(engine.db)
    const foreign = createVault(Buffer.from('the secret of another database, long')).seal('x', 'p')
    await sql`UPDATE stored_response SET content_sealed = ${foreign} WHERE id = 'r7'`.execute(
      engine.db,
    )
    await sql`UPDATE upstream SET proxy_sealed = 'damaged' WHERE id = 'u'`.execute(engine.db)

    const unreadable = ['upstream.proxy_sealed of u', 'stored_response.content_sealed of r7']
    for (const resealed of [values, 0]) {
      const done = await rotateSecret(rotationOf(engine))
      expect(done).toEqual({ resealed, waitingFor: [], unreadable })
    }
    expect((await opened(engine, former)).ring.sealKeys.size).toBe(2)
    await running.reload()

    await sql`DELETE FROM stored_response WHERE id = 'r7'`.execute(engine.db)
    await sql`UPDATE upstream SET proxy_sealed = NULL WHERE id = 'u'`.execute(engine.db)
    const done = await rotateSecret(rotationOf(engine))
    expect(done).toEqual({ resealed: 0, waitingFor: [], unreadable: [] })
    expect(await openVault(engine.db, [former])).toBeUndefined()
  })

  test('an interrupted rotation continues, and a value written meanwhile is not lost', async () => {
    const engine = await fixture.openMigrated()
    const running = await filled(engine, values)
    let rounds = 0
    const broken = rotationOf(engine, {
      untilNoticed: () => running.reload(),
      progress: (column) => {
        if (column === 'stored_response.content_sealed') rounds += 1
        if (rounds === 2) throw new Error('interrupted')
      },
    })
    expect(await failureOf(rotateSecret(broken))).toBe('interrupted')
    const half = await opened(engine, secret)
    expect((await contents(engine, half)).length).toBe(values)
    expect(await contents(engine, running)).toEqual(await contents(engine, half))
    const again = await rotateSecret(rotationOf(engine))
    expect(again).toEqual({ resealed: values - 40, waitingFor: ['one'], unreadable: [] })
  })

  test('recordings stay readable, have the new key alone, and are found by their end users', async () => {
    const engine = await fixture.openMigrated()
    const running = await opened(engine, former)
    const nowMs = () => Date.now()
    await sql`INSERT INTO account (id, name, status, available_nano, created_at)
      VALUES ('acme', 'Acme', 'active', 0, 1)`.execute(engine.db)
    const place = { engine, vault: running, nowMs }
    await setPolicy(place, { scope: 'all' })
    // Binary content, and more rows than a rotation reads at once.
    const request = crypto.getRandomValues(new Uint8Array(700))
    const ids: string[] = []
    for (let at = 0; at < 21; at += 1) ids.push(await addRecording(place, { request }))
    const rotation = rotationOf(engine, { untilNoticed: () => running.reload() })
    expect(await rotateSecret(rotation)).toEqual({ resealed: 21, waitingFor: [], unreadable: [] })
    const after = await opened(engine, secret)
    // A process with the new keys writes while the rotation ends.
    ids.push(await addRecording({ ...place, vault: after }, { request }))
    expect(await rotateSecret(rotationOf(engine))).toEqual({
      resealed: 0,
      waitingFor: [],
      unreadable: [],
    })

    const rows = await engine.db.selectFrom('recording').selectAll().execute()
    for (const id of ids) {
      const found = await findRecording(engine.db, after, id)
      expect(Buffer.from(found?.content.request.bytes ?? [])).toEqual(Buffer.from(request))
      const { content_sealed: sealed = '' } = rows.find((row) => row.request_id === id) ?? {}
      expect(sealed).toStartWith(`${after.ring.currentId}.`)
    }
    const useless = createVault(Buffer.from(former))
    expect(await failureOf(findRecording(engine.db, useless, ids[0] ?? ''))).toContain('a key that')
    const policy = await engine.db.selectFrom('recording_policy').selectAll().executeTakeFirst()
    expect(policy?.stored_bytes).toBe(rows.reduce((sum, row) => sum + row.stored_bytes, 0))
    const filter = { accountId: 'acme', endUser: 'ann' }
    expect((await listRecordings(engine.db, after, filter, 50)).length).toBe(22)
    const erasure = { accountId: 'acme', endUser: 'ann', nowMs: nowMs() }
    expect(await eraseRecordings(engine, after, erasure)).toBe(22)
  })

  test('calls at the same time agree on one new key, and no value becomes unreadable', async () => {
    const engine = await fixture.openMigrated()
    await filled(engine, values)
    await noteSecret(engine.db, 'one', (await opened(engine, former)).secretId)
    const written = await contents(engine, await opened(engine, former))
    // A process that reads the keys after the first change seals with what it has read.
    const untilNoticed = async () => {
      const vault = await opened(engine, secret)
      await addResponse(engine, vault, crypto.randomUUID(), 'written meanwhile')
    }
    const calls = [1, 2, 3].map(() => rotateSecret(rotationOf(engine, { untilNoticed })))
    await Promise.all(calls)
    const after = await opened(engine, secret)
    expect(after.ring.sealKeys.size).toBe(2)
    const read = await contents(engine, after)
    expect(read.filter((each) => each !== 'written meanwhile').toSorted()).toEqual(
      written.toSorted(),
    )
  })

  test('a call that another one with another new secret overtakes removes no key', async () => {
    const engine = await fixture.openMigrated()
    await filled(engine, values)
    await noteSecret(engine.db, 'one', (await opened(engine, former)).secretId)
    const other = 'another new secret of the tests, long'
    const overtake = async () => {
      const secrets = [other, former] as const
      expect(await rotateSecret(rotationOf(engine, { secrets }))).toMatchObject({
        waitingFor: ['one'],
      })
    }
    // The second call runs while the first one waits for the replicas.
    const first = await rotateSecret(rotationOf(engine, { untilNoticed: overtake }))
    expect(first).toBe('overtaken')
    for (const valid of [other, former])
      expect((await contents(engine, await opened(engine, valid))).length).toBe(values)
    expect(await openVault(engine.db, [secret])).toBeUndefined()
  })

  test('a value that was on its way with the former key is found before that key is removed', async () => {
    const engine = await fixture.openMigrated()
    await filled(engine, values)
    await engine.db.deleteFrom('replica').execute()
    const slow = await opened(engine, former)
    let isDue = false
    let isWritten = false
    const stepped = steppedEngine(engine, async () => {
      if (!isDue || isWritten) return
      isWritten = true
      // Its id is before those that were looked at.
      await addResponse(engine, slow, 'a', 'slow')
    })
    const progress = (column: string) => {
      isDue ||= column === 'stored_response.content_sealed'
    }
    const done = await rotateSecret(rotationOf(stepped, { progress }))
    expect(done).toEqual({ resealed: values + 3, waitingFor: [], unreadable: [] })
    const after = await opened(engine, secret)
    expect(after.ring.sealKeys.size).toBe(1)
    expect(await contents(engine, after)).toContain('slow')
  })

  test('a process whose secret was replaced reads, and seals nothing that nobody could read', async () => {
    const engine = await fixture.openMigrated()
    const lost = await filled(engine, 1)
    const sealed = lost.seal('before', 'p')
    await engine.db.deleteFrom('replica').execute()
    expect(await rotateSecret(rotationOf(engine))).toEqual({
      resealed: 3,
      waitingFor: [],
      unreadable: [],
    })
    await lost.reload()
    expect(lost.open(sealed, 'p')).toBe('before')
    expect(() => lost.seal('after', 'p')).toThrow('restart it with the present secret')
    expect(await failureOf(lost.sealSlowly(['after'], 'p'))).toContain('restart it')
  })

  test('neither secret fits', async () => {
    const engine = await fixture.openMigrated()
    await filled(engine, values)
    const secrets = [secret, 'a secret that never was, long enough'] as const
    expect(await rotateSecret(rotationOf(engine, { secrets }))).toBe('unknown')
    expect(await openVault(engine.db, [former])).toBeDefined()
  })
})

test('a gateway reads the keys again when it starts to follow changes, and when they change', async () => {
  let reads = 0
  const changed = Promise.withResolvers<void>()
  const readKeysAgain = async () => {
    reads += 1
    if (reads === 2) changed.resolve()
  }
  const { engine, stop } = await startGateway({ readKeysAgain })
  atEnd(stop)
  // A rotation between the opening of the vault and the first look at the changes is not missed.
  expect(reads).toBe(1)
  await write(engine, Date.now(), async ({ announce }) => announce('secret', 'keyring'))
  await changed.promise
})

test('the command rotates a generated secret, and keeps the former one until the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-rotate-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const run = (line: string) => runWords(folder, line.split(' '))
  await run('accounts create acme')
  const made = await run('keys create --account acme --name laptop')
  const value = /sk-\w+/.exec(made.out)?.[0] ?? ''
  const path = join(folder, 'data', 'secret')
  const before = readFileSync(path, 'utf8')
  const said = await run('secret rotate')
  expect(said).toMatchObject({ code: 0 })
  expect(said.out).toContain('sealed again with the new secret: 1.')
  expect(said.out).toContain('The rotation is complete')
  expect(readFileSync(path, 'utf8')).not.toBe(before)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(existsSync(`${path}.former`)).toBe(false)
  const id = /key_\w+/.exec(made.out)?.[0] ?? ''
  expect((await run(`keys reveal ${id}`)).out).toContain(value)
  expect(said.out + said.err).not.toContain(readFileSync(path, 'utf8').trim())
  const env = { TOLLGATE_SECRET: former }
  const alone = await runWords(folder, ['secret', 'rotate'], { env })
  expect(alone.err).toContain('formerSecret to the present one')
  const remote = await run('secret rotate --url https://gateway.example')
  expect([remote.code, remote.err]).toEqual([2, expect.stringContaining('no access to the secret')])
})

describe('a generated secret', () => {
  /** A gateway's folder with one key, and its secret. */
  async function prepared() {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-rotate-'))
    atEnd(() => rmSync(folder, { recursive: true, force: true }))
    const run = (line: string) => runWords(folder, line.split(' '))
    await run('accounts create acme')
    const { out } = await run('keys create --account acme --name laptop')
    const path = join(folder, 'data', 'secret')
    const reveal = () => run(`keys reveal ${/key_\w+/.exec(out)?.[0] ?? ''}`)
    return { run, path, reveal, value: /sk-\w+/.exec(out)?.[0] ?? '' }
  }

  test('is rotated by the next call if a call was killed before it replaced the file', async () => {
    const { run, path, reveal, value } = await prepared()
    const before = readFileSync(path, 'utf8')
    writeFileSync(`${path}.former`, before)
    writeFileSync(`${path}.new`, 'half')
    expect((await reveal()).out).toContain(value)
    const said = await run('secret rotate')
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining('is complete') })
    expect(readFileSync(path, 'utf8')).not.toBe(before)
    expect([existsSync(`${path}.former`), existsSync(`${path}.new`)]).toEqual([false, false])
    expect((await reveal()).out).toContain(value)
  })

  test('is not replaced by two calls at once', async () => {
    const { run, path, reveal, value } = await prepared()
    const before = readFileSync(path, 'utf8')
    const lock = lockFile(`${path}.lock`, true)
    const said = await run('secret rotate')
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining('is running') })
    expect(readFileSync(path, 'utf8')).toBe(before)
    lock?.release()
    expect((await reveal()).out).toContain(value)
  })
})
