import { storedDemoUrl } from '../../../core/upstreams/stored-demo-url.ts'
import { addFact, readFact } from '../../../store/changes/facts.ts'
import type { Engine } from '../../../store/engine.ts'
import type { SetupAnswer } from '../../contract.ts'

const factName = 'setup-closed'
/** Set when the demo data is created. */
const demoFactName = 'demo-month'

type SetupState = Pick<
  SetupAnswer,
  'hasPassword' | 'hasUpstream' | 'upstreamId' | 'hasModel' | 'hasKey'
>

/** Whether the setup is offered: something is missing, and it was neither finished nor skipped. */
export async function isSetupOpen(db: Engine['db']): Promise<boolean> {
  if ((await readFact(db, factName)) !== undefined) return false
  return Object.values(await readSetupState(db)).includes(false)
}

/** Whether the gateway was started with demo data. */
export async function isDemoFilled(db: Engine['db']): Promise<boolean> {
  return (await readFact(db, demoFactName)) === 'whole'
}

export async function markSetupClosed(db: Engine['db'], nowMs: number): Promise<void> {
  await addFact(db, factName, String(nowMs))
}

/** The parts of the setup that a gateway already has; the demo does not count. */
export async function readSetupState(db: Engine['db']): Promise<SetupState> {
  const [password, upstream, model, key] = await Promise.all([
    db
      .selectFrom('console_user')
      .select('id')
      .where('role', '=', 'admin')
      .where('password_hash', 'is not', null)
      .limit(1)
      .executeTakeFirst(),
    db
      .selectFrom('upstream')
      .select('id')
      .where('base_url', '<>', storedDemoUrl)
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst(),
    db
      .selectFrom('route as r')
      .innerJoin('upstream as u', 'u.id', 'r.upstream_id')
      .innerJoin('price_version as p', 'p.model_id', 'r.model_id')
      .select('r.model_id')
      .where('u.base_url', '<>', storedDemoUrl)
      .limit(1)
      .executeTakeFirst(),
    db
      .selectFrom('api_key')
      .select('id')
      .where('deleted_at', 'is', null)
      .limit(1)
      .executeTakeFirst(),
  ])
  return {
    hasPassword: password !== undefined,
    hasUpstream: upstream !== undefined,
    upstreamId: upstream?.id ?? null,
    hasModel: model !== undefined,
    hasKey: key !== undefined,
  }
}
