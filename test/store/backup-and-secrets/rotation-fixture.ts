import { sql } from 'kysely'
import type { Rotation } from '../../../src/app/secrets/rotate-secret.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { type OpenVault, openVault } from '../../../src/store/secrets/open-vault.ts'

export const former = 'the former secret of the tests, long'
export const secret = 'the present secret of the tests, long'

export async function opened(engine: Engine, ...secrets: string[]): Promise<OpenVault> {
  const vault = await openVault(engine.db, secrets)
  if (!vault) throw new Error('no secret fits')
  return vault
}

export async function addResponse(
  engine: Engine,
  vault: OpenVault,
  id: string,
  content: string,
): Promise<void> {
  const sealed = vault.seal(content, 'stored response')
  await sql`INSERT INTO stored_response (id, key_id, model, content_sealed, created_at, expires_at)
    VALUES (${id}, 'k', 'm', ${sealed}, 1, 2)`.execute(engine.db)
}

/** Sealed values in three tables, and a replica that runs with the former secret. */
export async function filled(engine: Engine, values: number): Promise<OpenVault> {
  const vault = await opened(engine, former)
  for (let at = 0; at < values; at += 1) await addResponse(engine, vault, `r${at}`, `content ${at}`)
  await sql`INSERT INTO upstream (id, vendor, protocol, base_url, proxy_sealed, created_at)
    VALUES ('u', 'openai', 'any', 'https://one.example/v1', ${vault.seal('http://proxy', 'upstream proxy')}, 3)`.execute(
    engine.db,
  )
  await sql`INSERT INTO outbox (lane, purpose, channel, target, payload_sealed, state, attempts, next_at, claimed_until, created_at)
    VALUES ('l', 'p', 'email', 't', ${vault.seal('mail', 'outbox')}, 'waiting', 0, 1, 0, 1)`.execute(
    engine.db,
  )
  await sql`INSERT INTO replica (id, epoch, lived_epoch, seen_at) VALUES ('one', 2, 2, ${Date.now()})`.execute(
    engine.db,
  )
  return vault
}

export async function contents(engine: Engine, vault: OpenVault): Promise<string[]> {
  const { rows } = await sql<{ sealed: string }>`
    SELECT content_sealed AS sealed FROM stored_response ORDER BY id`.execute(engine.db)
  return rows.map(({ sealed }) => vault.open(sealed, 'stored response'))
}

export function rotationOf(engine: Engine, changes: Partial<Rotation> = {}): Rotation {
  return {
    engine,
    secrets: [secret, former],
    nowMs: () => Date.now(),
    untilNoticed: async () => undefined,
    progress: () => undefined,
    ...changes,
  }
}
