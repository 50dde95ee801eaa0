import { sql } from 'kysely'
import { readToken } from '../../../admin-tokens/token-store.ts'
import { tokenOfActor } from '../../../admin-tokens/token-value.ts'
import { lastAuditAtMs } from '../../../ledger/audit/audit-state.ts'
import { listStops } from '../../../ledger/audit/audit-stops.ts'
import { seenEveryMs } from '../../../ledger/replica.ts'
import { lastBackupAtMs } from '../../../store/backup/last-backup.ts'
import type { Engine } from '../../../store/engine.ts'
import { readFailing } from '../../../store/secrets/noted-secrets.ts'
import { usageFloorMs } from '../../../usage/usage-floor.ts'
import type { ProxyCheck, ReplicaRow, SystemAnswer } from '../../contract.ts'
import type { ProcessReading } from '../../ports/gateway-ports.ts'
import type { JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { describeFinding } from './describe-finding.ts'

const replicasMax = 500
/** A process counts as stopped after this many missed heartbeats. */
const signsMissedMax = 6

/** State of the gateway: replicas, ledger, journal, and how it sees the caller's address. */
export async function readSystem(call: SignedInCall): Promise<JsonAnswer<SystemAnswer>> {
  const { engine, clock, gateway } = call.deps
  const nowMs = clock.nowMs()
  const own = gateway.readProcess()
  const [replicas, leases, stops, lastAt, floorMs, migrations, backupMs, failing] =
    await Promise.all([
      listReplicas(engine, own.replica, nowMs),
      sumLeases(engine),
      listStops(engine),
      lastAuditAtMs(engine),
      usageFloorMs(engine),
      listMigrations(engine),
      lastBackupAtMs(engine.db),
      readFailing(engine),
    ])
  return {
    body: {
      now: nowMs,
      version: own.version,
      runtime: own.runtime,
      startedAt: own.startedAtMs,
      memoryBytes: own.memoryBytes,
      database: { kind: engine.kind, migrations },
      replicas,
      selfAudit: {
        lastAt: lastAt ?? null,
        stops: stops.map(({ foundAtMs, findings, ...stop }) => ({
          ...stop,
          foundAt: foundAtMs,
          findings: findings.map(describeFinding),
        })),
      },
      lastBackupAt: backupMs ?? null,
      failingSecrets: failing.map(({ sinceMs, ...each }) => ({ ...each, since: sinceMs })),
      leases,
      journal: {
        unshipped: own.unshipped,
        unshippedSince: own.unshippedSinceMs ?? null,
        openHolds: own.openHolds,
        oldestHoldAt: own.oldestHoldAtMs ?? null,
        admitsWithoutEntry: own.admitsWithoutEntry,
        refusedRecords: own.refusedRecords,
        damagedLines: own.damagedLines,
        notAdmitting: own.notAdmitting?.why ?? null,
        notAdmittingKind: own.notAdmitting?.kind ?? null,
      },
      logSince: floorMs === 0 ? null : floorMs,
      proxy: checkProxy(call, own),
      token: await describeCaller(call),
      settings: own.settings,
    },
  }
}

async function describeCaller({ deps, session }: SignedInCall): Promise<SystemAnswer['token']> {
  const id = tokenOfActor(session.userId)
  const token = id === undefined ? undefined : await readToken(deps.engine.db, id)
  if (!token) return null
  const { name, scopes, expiresAtMs } = token
  return { id: token.id, name, scopes, expiresAt: expiresAtMs ?? null }
}

async function listReplicas({ db }: Engine, ownId: string, nowMs: number): Promise<ReplicaRow[]> {
  const rows = await db
    .selectFrom('replica as r')
    .select([
      'r.id',
      'r.epoch',
      'r.seen_at',
      sql<number>`(SELECT COUNT(*) FROM lease WHERE replica = r.id)`.as('leases'),
      sql<bigint>`CAST(COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease WHERE replica = r.id), 0)
        AS BIGINT)`.as('held_nano'),
    ])
    .orderBy('r.seen_at', 'desc')
    .limit(replicasMax)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    epoch: row.epoch,
    seenAt: row.seen_at,
    isAlive: nowMs - row.seen_at <= seenEveryMs * signsMissedMax,
    isThis: row.id === ownId,
    leaseCount: row.leases,
    heldNano: String(row.held_nano),
  }))
}

async function sumLeases({ db }: Engine): Promise<SystemAnswer['leases']> {
  const row = await db
    .selectFrom('lease')
    .select([
      sql<number>`COUNT(*)`.as('count'),
      sql<bigint>`CAST(COALESCE(SUM(granted_nano - used_nano), 0) AS BIGINT)`.as('held_nano'),
      sql<number | null>`MIN(created_at)`.as('oldest_at'),
    ])
    .executeTakeFirstOrThrow()
  return { count: row.count, heldNano: String(row.held_nano), oldestAt: row.oldest_at }
}

async function listMigrations({ db }: Engine): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM migration ORDER BY id`.execute(db)
  return rows.map((row) => row.id)
}

/**
 * An untrusted proxy makes all clients look like the proxy. If everything is trusted, a client can claim any address.
 */
function checkProxy({ context, request }: SignedInCall, own: ProcessReading): ProxyCheck {
  const forwardedFor = request.headers.get('x-forwarded-for')
  const isPeerTrusted = context.peer !== context.address
  return {
    peer: context.peer,
    isPeerTrusted,
    forwardedFor,
    forwardedProto: request.headers.get('x-forwarded-proto'),
    address: context.address,
    trusted: own.trustedProxies,
    verdict: verdictOf({ forwardedFor, isPeerTrusted, trusted: own.trustedProxies }),
  }
}

function verdictOf(seen: {
  readonly forwardedFor: string | null
  readonly isPeerTrusted: boolean
  readonly trusted: readonly string[]
}): ProxyCheck['verdict'] {
  if (seen.trusted.some((range) => range.endsWith('/0'))) return 'trusts-all'
  if (seen.forwardedFor === null) return 'direct'
  return seen.isPeerTrusted ? 'proxied' : 'untrusted-proxy'
}
