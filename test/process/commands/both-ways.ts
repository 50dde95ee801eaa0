import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { putMember, removeMember } from '../../../src/accounts/member-store.ts'
import { newRequestId } from '../../../src/core/id.ts'
import { noUsage } from '../../../src/core/money/usage.ts'
import { sealLine } from '../../../src/ledger/journal/journal-lines.ts'
import { settleRecord } from '../../../src/ledger/journal/settle-record.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { openVault } from '../../../src/store/secrets/open-vault.ts'
import { shopConfig } from '../../support/process/shop.ts'
import { startTollgate, type TollgateProcess } from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'
import { addRecording, setPolicy } from '../../support/store/recording-seed.ts'
import { type ScriptedReply, terminalIn } from '../../unit/cli/run-line.ts'

/**
 * The place where commands run: in the folder of a gateway that does not run, or against a running gateway from
 * elsewhere.
 */
export interface Side {
  readonly name: 'here' | 'there'
  readonly workspace: Workspace
  readonly databaseUrl: string
  run(line: string): Promise<ScriptedReply>
  /** The values that earlier steps have kept, by name. */
  readonly told: Map<string, string>
}

export interface BothSides {
  readonly here: Side
  readonly there: Side
  readonly gateway: TollgateProcess
  readonly token: string
  /** Everything that was printed so far. */
  printed(): string
}

/** The same deployment twice: one whose gateway does not run, and one that is reached only with a token. */
export async function openBothSides(
  upstreamUrl: string,
  databases: { readonly here?: string; readonly there?: string } = {},
): Promise<BothSides> {
  let printed = ''
  const open = (name: Side['name'], extra: object): [Workspace, string] => {
    const config = shopConfig(upstreamUrl, extra)
    const member = { email: 'ann@example.com', accounts: ['acme'] }
    const users = [{ email: 'root@example.com', role: 'admin' }, member]
    const provision = { ...Reflect.get(config, 'provision'), users }
    const workspace = makeWorkspace({ ...config, provision })
    const url = databases[name] ?? `sqlite://${workspace.path('data/tollgate.db')}`
    return [workspace, url]
  }
  const settingsOf = (name: Side['name']) => {
    const database = databases[name]
    return database === undefined ? {} : { database }
  }
  const [hereSpace, hereUrl] = open('here', settingsOf('here'))
  const [thereSpace, thereUrl] = open('there', settingsOf('there'))
  const note = (said: ScriptedReply): ScriptedReply => {
    printed += said.out + said.err
    return said
  }
  const gateway = await startTollgate(thereSpace)
  const made = await terminalIn(thereSpace.folder).run(
    'tokens create --name remote-hand --scope all',
  )
  const token = /^value +(\S+)$/m.exec(made.out)?.[1] ?? ''
  const away = makeWorkspace()
  const here: Side = {
    name: 'here',
    workspace: hereSpace,
    databaseUrl: hereUrl,
    run: async (line) => note(await terminalIn(hereSpace.folder).run(line)),
    told: new Map(),
  }
  const there: Side = {
    name: 'there',
    workspace: thereSpace,
    databaseUrl: thereUrl,
    run: async (line) =>
      note(
        await terminalIn(away.folder).run(`${line} --url ${gateway.url}`, {
          env: { TOLLGATE_TOKEN: token },
        }),
      ),
    told: new Map(),
  }
  await here.run('apply')
  // The same token on both sides, so that lists are the same.
  await here.run('tokens create --name remote-hand --scope all')
  return { here, there, gateway, token, printed: () => printed }
}

/** Removes values that differ from run to run and between the sides. */
export function normalised(text: string): string {
  return text
    .replace(/\b(key|tok|alert|credit|user|req|up|cred|pv)_[0-9a-z]+/gi, '$1_ID')
    .replace(/\bsk-[0-9A-Za-z]{48}/g, 'sk-VALUE')
    .replace(/\btgat_[0-9A-Za-z]{48}/g, 'tgat_VALUE')
    .replace(/(sk-|tgat_)…\w{4}/g, '$1…HINT')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"requestId":"[0-9a-f-]{36}"/g, '"requestId":"ID"')
    .replace(/(\\?"(?:at|createdAt)\\?":)\d{13}/g, '$1N')
    .replace(/\d+ ms/g, 'N ms')
    .replace(/"totalMs": \d+/g, '"totalMs": N')
    .replace(/http:\/\/127\.0\.0\.1:\d+(\/console)/g, 'URL$1')
    .replace(/(sign-in(?:\?[\w=]+)?#)\S+/g, '$1TOKEN')
    .replace(/ \(request [0-9a-f-]{36}\)/g, '')
    .replace(/(credit|reversal) (cli|console) /g, '$1 SOURCE ')
    .replace(/(token:tok_ID|\bcli\b|\bconsole\b)(?= {2}|")/g, 'ACTOR')
    .replace(/ {2,}/g, '  ')
}

/** All rows that commands change, without values that differ between the sides. */
export async function effectsOf({ databaseUrl }: Side): Promise<string[]> {
  const engine = await openStore(databaseUrl)
  try {
    const { db } = engine
    const accounts = await db
      .selectFrom('account')
      .select(['id', 'name', 'status', 'available_nano', 'ends_at'])
      .orderBy('id')
      .execute()
    const keys = await db
      .selectFrom('api_key')
      .select(['account_id', 'name', 'enabled', 'groups', 'models', 'quota_nano', 'value_hint'])
      .select(['imported', 'expires_at', 'addresses'])
      .orderBy('name')
      .execute()
    const credits = await db
      .selectFrom('credit')
      .select(['account_id', 'amount_nano', 'external_id', 'reason', 'reverses'])
      .orderBy('created_at')
      .orderBy('amount_nano')
      .execute()
    const tokens = await db
      .selectFrom('admin_token')
      .select(['name', 'scopes', 'account_id', 'expires_at'])
      .orderBy('name')
      .execute()
    // The self-audit of a running gateway deletes stops that were released.
    const stops = await db
      .selectFrom('audit_stop')
      .select(['account_id'])
      .where('released_at', 'is', null)
      .execute()
    const audit = await db
      .selectFrom('audit')
      .select(['action', 'subject', 'before', 'after', 'actor'])
      .where('actor', '!=', 'provision')
      .orderBy('seq')
      .execute()
    const changes = audit.filter(({ action }) => !/^user\.(created|signed)/.test(action))
    const actors = new Set(changes.map(({ actor }) => actor.replace(/tok_\w+/, 'tok_ID')))
    const said = changes.map(({ action, subject, before, after }) => ({
      action,
      subject,
      before,
      after,
    }))
    const rows = { accounts, keys, credits, tokens, stops, said }
    const text = JSON.stringify(rows, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    return [normalised(text), [...actors].join(' ')]
  } finally {
    await engine.close()
  }
}

/**
 * Sets records aside like a gateway: the charge of a request of the key that was created last, and a record of an
 * unknown shape.
 */
export async function setRecordsAside({ databaseUrl, workspace, told }: Side): Promise<void> {
  const engine = await openStore(databaseUrl)
  try {
    const price = await engine.db.selectFrom('price_version').select('id').executeTakeFirstOrThrow()
    const request = {
      requestId: newRequestId(Date.now()),
      accountId: 'beta',
      keyId: told.get('key') ?? '',
      // The lease is closed, as after a day, so the money comes from the key and the account.
      leaseId: 'lease_gone',
    }
    const charge = settleRecord(request, {
      costNano: 7n,
      factorMicro: 1_000_000n,
      priceVersionId: price.id,
      usage: { ...noUsage, input: 7 },
      usageSource: 'upstream',
      flags: [],
    })
    const texts = [[charge], [['unknown-1', 'x']]].map((records) => JSON.stringify(records))
    mkdirSync(workspace.path('data/journal'), { recursive: true })
    const lines = texts.map((text) => sealLine('S', text))
    writeFileSync(workspace.path('data/journal/refused.log'), lines.join(''))
  } finally {
    await engine.close()
  }
}

/** Three requests of acme, two of them of one end user. */
export async function recordRequests(side: Side): Promise<void> {
  await inDatabase(side, async (engine) => {
    const vault = await openVault(engine.db, [
      readFileSync(side.workspace.path('data/secret'), 'utf8').trim(),
    ])
    if (!vault) throw new Error('the secret does not fit')
    const place = { engine, vault, nowMs: () => Date.now() }
    await setPolicy(place, { scope: 'all' })
    for (const [at, endUser] of ['ann', 'ben', 'ann'].entries()) {
      const request = JSON.stringify({ of: endUser })
      await addRecording(place, { endUser, request, atMs: Date.now() - 1_000 + at })
    }
  })
}

/** An owner of acme allows operators to read. */
export async function openToOperators(side: Side): Promise<void> {
  await inDatabase(side, (engine) =>
    setPolicy({ engine, nowMs: () => Date.now() }, { isOpenToOperators: true }),
  )
}

/** Changes the database directly. */
export async function stopAccount(side: Side, accountId: string): Promise<void> {
  await inDatabase(side, async ({ db }) => {
    await db
      .insertInto('audit_stop')
      .values({ account_id: accountId, found_at: 1, findings: 'made up', released_at: null })
      .execute()
  })
}

export async function addMember(side: Side, accountId: string, email: string): Promise<void> {
  await inDatabase(side, (engine) =>
    write(engine, 1, async (writing) => {
      const user = { id: memberId, email, password_hash: null, role: 'member', created_at: 1 }
      await writing.tx.insertInto('console_user').values(user).execute()
      await putMember(writing, { userId: memberId, accountId, role: 'member' })
    }),
  )
}

export async function endMembership(side: Side, accountId: string): Promise<void> {
  await inDatabase(side, async (engine) => {
    await write(engine, 1, (writing) => removeMember(writing, { userId: memberId, accountId }))
  })
}

const memberId = 'u_lee'

async function inDatabase(
  { databaseUrl }: Side,
  work: (engine: Engine) => Promise<void>,
): Promise<void> {
  const engine = await openStore(databaseUrl)
  try {
    await work(engine)
  } finally {
    await engine.close()
  }
}
