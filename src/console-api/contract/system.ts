import { z } from 'zod'
import type { routedModelDefinition } from '../../catalog/definition/route.ts'
import { adminScopes } from '../../core/access/admin-scope.ts'
import { ledgerTroubles } from '../../core/codes.ts'
import { engineKinds } from '../../core/network/engine-kind.ts'
import { choiceReasons } from '../../core/upstreams/attempt-note.ts'
import { priorities } from '../../core/upstreams/priority.ts'
import type { NewWireOf } from '../../fields/definition.ts'
import { json, list, nanoText, page, timeMs } from './shapes.ts'

export const explainCheck = z.strictObject({
  /** One of `requestChecks`. */
  name: z.string(),
  isPassed: z.boolean(),
  /** One of `requestReasons`; null if the check passed. */
  code: z.string().nullable(),
  detail: z.string(),
})
export type ExplainCheck = z.infer<typeof explainCheck>

export const explainCandidate = z.strictObject({
  group: z.string(),
  model: z.string(),
  upstream: z.string(),
  upstreamModel: z.string(),
  credential: z.string().nullable(),
  priority: z.number(),
  weight: z.number(),
  why: z.enum(choiceReasons),
  /** The requested model, if this one is a fallback. */
  fallbackFrom: z.string().nullable(),
})
export type ExplainCandidate = z.infer<typeof explainCandidate>

export const explainLeftOut = z.strictObject({
  group: z.string(),
  upstream: z.string().nullable(),
  model: z.string(),
  /** One of `leftOutCodes`. */
  code: z.string(),
  /** When it ends or ended. */
  until: timeMs.nullable(),
  /** The same as a text. */
  why: z.string(),
})
export type ExplainLeftOut = z.infer<typeof explainLeftOut>

export const explainHold = z.strictObject({
  amountNano: nanoText,
  /** The parts of the amount. */
  lines: list(
    z.strictObject({
      name: z.string(),
      tokens: z.number(),
      priceNano: nanoText,
      amountNano: nanoText,
    }),
  ),
})
export type ExplainHold = z.infer<typeof explainHold>

export const explainQueue = z.strictObject({
  /** False: the request is refused, because nothing waits here or the queue has no room for it. */
  wouldWait: z.boolean(),
  priority: z.enum(priorities),
  /** The longest wait; 0 if requests do not wait. */
  secondsMax: z.number(),
  /** Requests that wait now at the process that has answered. */
  length: z.number(),
  lengthMax: z.number(),
})
export type ExplainQueue = z.infer<typeof explainQueue>

export const explainAnswer = z.strictObject({
  /** The status for the client before anything is forwarded: 200, or that of the refusal. */
  status: z.number(),
  /** The refusal with the message for the client; null if there is none. */
  refusal: z
    .strictObject({
      code: z.string(),
      message: z.string(),
    })
    .nullable(),
  /** In order; checks after a failed one are absent. */
  checks: list(explainCheck),
  /** In the order of attempts. */
  candidates: list(explainCandidate),
  leftOut: list(explainLeftOut),
  hold: explainHold.nullable(),
  /** Set only while all upstreams of the plan are full. */
  queue: explainQueue.nullable(),
  /** The complete explanation of the gateway. */
  raw: json,
})
export type ExplainAnswer = z.infer<typeof explainAnswer>

export const auditRow = z.strictObject({
  seq: z.number(),
  at: timeMs,
  /** A user id, `cli`, `provision`, `gateway` for what the gateway does by itself, or `stranger` without a sign-in. */
  actor: z.string(),
  /** The email of a user; null for other actors. */
  actorName: z.string().nullable(),
  /** One of `auditActions`. */
  action: z.string(),
  subject: z.string(),
  /** The display name of the subject; null if the id is the name or the name is unknown. */
  subjectName: z.string().nullable(),
  /** Secrets are masked. */
  before: json,
  after: json,
})
export type AuditRow = z.infer<typeof auditRow>

/**
 * GET /operate/audit?actor=&action=&subject=&from=&to=&before= : newest first; `action` may be a prefix such as `key.`
 */
export const auditAnswer = z.strictObject({
  ...page.shape,
  rows: list(auditRow),
})
export type AuditAnswer = z.infer<typeof auditAnswer>

export const replicaRow = z.strictObject({
  id: z.string(),
  epoch: z.number(),
  seenAt: timeMs,
  isAlive: z.boolean(),
  /** True for the process that responds. */
  isThis: z.boolean(),
  leaseCount: z.number(),
  heldNano: nanoText,
})
export type ReplicaRow = z.infer<typeof replicaRow>

/** A difference in the ledger of an account or of one of its keys. */
export const auditFinding = z.strictObject({
  /** One of `findingKinds`; null if only the text is known. */
  kind: z.string().nullable(),
  /** Id of the account or the key. */
  id: z.string(),
  differenceNano: nanoText,
  /** The same as a text for the log. */
  text: z.string(),
})
export type AuditFinding = z.infer<typeof auditFinding>

export const systemStop = z.strictObject({
  accountId: z.string(),
  foundAt: timeMs,
  findings: list(auditFinding),
  isReleased: z.boolean(),
})
export type SystemStop = z.infer<typeof systemStop>

/** How the caller's address is determined. An untrusted proxy makes all clients look like the proxy. */
export const proxyCheck = z.strictObject({
  /** The address of the connection. */
  peer: z.string(),
  isPeerTrusted: z.boolean(),
  forwardedFor: z.string().nullable(),
  forwardedProto: z.string().nullable(),
  /** The client address that the gateway uses. */
  address: z.string(),
  trusted: list(z.string()),
  /**
   * `untrusted-proxy`: the peer sends X-Forwarded-For but is not trusted. `trusts-all`: any client could claim any
   * address.
   */
  verdict: z.enum(['direct', 'proxied', 'untrusted-proxy', 'trusts-all']),
})
export type ProxyCheck = z.infer<typeof proxyCheck>

export const settingRow = z.strictObject({
  name: z.string(),
  /** Secrets are masked. */
  text: z.string(),
  /** Source: default, file, environment or flag. */
  from: z.string(),
})
export type SettingRow = z.infer<typeof settingRow>

/** GET /operate/system */
export const systemAnswer = z.strictObject({
  now: timeMs,
  version: z.string(),
  runtime: z.string(),
  startedAt: timeMs,
  memoryBytes: z.number(),
  database: z.strictObject({
    kind: z.enum(engineKinds),
    migrations: list(z.string()),
  }),
  replicas: list(replicaRow),
  selfAudit: z.strictObject({
    lastAt: timeMs.nullable(),
    stops: list(systemStop),
  }),
  /** When "tollgate backup" last wrote a file; null: never. */
  lastBackupAt: timeMs.nullable(),
  /** Secrets of files and programs that a replica could not read again; it uses the former value. */
  failingSecrets: list(
    z.strictObject({ replica: z.string(), name: z.string(), since: timeMs, why: z.string() }),
  ),
  leases: z.strictObject({
    count: z.number(),
    heldNano: nanoText,
    oldestAt: timeMs.nullable(),
  }),
  /** The journal of this process. */
  journal: z.strictObject({
    unshipped: z.number(),
    unshippedSince: timeMs.nullable(),
    openHolds: z.number(),
    oldestHoldAt: timeMs.nullable(),
    admitsWithoutEntry: z.number(),
    /** Records that the database refused because of their content. An operator must look at them. */
    refusedRecords: z.number(),
    /** Unreadable lines in journals that were kept. */
    damagedLines: z.number(),
    /** Why no request is admitted now, as a text for the log; null if requests are admitted. */
    notAdmitting: z.string().nullable(),
    /** The same as a code. */
    notAdmittingKind: z.enum(ledgerTroubles).nullable(),
  }),
  /** Older rows were deleted because of their age; null: none were. */
  logSince: timeMs.nullable(),
  proxy: proxyCheck,
  /** The calling token; null for a user. */
  token: z
    .strictObject({
      id: z.string(),
      name: z.string(),
      scopes: list(z.enum(adminScopes)),
      expiresAt: timeMs.nullable(),
    })
    .nullable(),
  settings: list(settingRow),
})
export type SystemAnswer = z.infer<typeof systemAnswer>

export const ledgerCheck = z.strictObject({
  /** The rule of the ledger, such as L1. */
  rule: z.string(),
  name: z.string(),
  /** The examined records, such as `3 accounts, 5 keys`. */
  examined: z.string(),
  wrong: z.number(),
  /** The first findings, one sentence each. */
  findings: list(z.string()),
})
export type LedgerCheck = z.infer<typeof ledgerCheck>

/** POST /operate/check-ledger */
export const ledgerCheckAnswer = z.strictObject({
  /** Stopped accounts do not count: the cause is among the findings, or is resolved. */
  isInOrder: z.boolean(),
  checks: list(ledgerCheck),
  /** Of the process that responds: see `journal` of the system. */
  refusedRecords: z.number(),
  damagedLines: z.number(),
  stops: list(systemStop),
})
export type LedgerCheckAnswer = z.infer<typeof ledgerCheckAnswer>

/** POST /operate/replay : the records that the responding process has set aside. */
export const replayAnswer = z.strictObject({
  /** Records that are now in the database, including those that were there before. */
  applied: z.number(),
  /** Records that the database still refuses. */
  refused: z.number(),
  /** Unreadable lines. */
  damaged: z.number(),
})
export type ReplayAnswer = z.infer<typeof replayAnswer>

/** GET /setup : what a new gateway still needs. Each step uses the operations of its page and can be skipped. */
export const setupAnswer = z.strictObject({
  isOpen: z.boolean(),
  hasPassword: z.boolean(),
  /** Apart from the demo upstream. */
  hasUpstream: z.boolean(),
  /** The first upstream, so that an interrupted setup can continue with it. */
  upstreamId: z.string().nullable(),
  /** A model with a route and a price, apart from those of the demo. */
  hasModel: z.boolean(),
  hasKey: z.boolean(),
  isDemo: z.boolean(),
  /** The account of the first key. */
  accountId: z.string().nullable(),
})
export type SetupAnswer = z.infer<typeof setupAnswer>

/** POST /setup/close → DoneAnswer: ends the setup permanently. */

/** POST /setup/model → SetupModelAnswer: creates model, price and route together, and the group if it is missing. */
export type SetupModelRequest = NewWireOf<typeof routedModelDefinition>

export const setupModelAnswer = z.strictObject({
  model: z.string(),
  group: z.string(),
})
export type SetupModelAnswer = z.infer<typeof setupModelAnswer>

/** POST /operate/provision : the `provision` section of a config file. Its reader reports what is invalid. */
export const provisionDocument = z
  .record(z.string(), z.unknown())
  .meta({ description: 'The "provision" section of a config file.' })

const appliedCounts = z.strictObject({
  created: z.number(),
  changed: z.number(),
  same: z.number(),
})

export const appliedAnswer = z.strictObject({
  /** Nothing was changed; the counts tell what would change. */
  isDryRun: z.boolean(),
  counts: z.record(z.string(), appliedCounts),
  /** The first 1000 entries that were, or would be, created or changed. */
  changes: list(
    z.strictObject({ kind: z.string(), id: z.string(), result: z.enum(['created', 'changed']) }),
  ),
  /** Messages for the operator. */
  warnings: list(z.string()),
})
