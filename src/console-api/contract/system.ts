import { z } from 'zod'
import type { routedModelDefinition } from '../../catalog/definition/route.ts'
import { adminScopes } from '../../core/admin-scope.ts'
import { choiceReasons } from '../../core/try-note.ts'
import type { NewWireOf } from '../../fields/definition.ts'
import { json, list, nanoText, page, timeMs } from './shapes.ts'

export const explainCheck = z.strictObject({
  /** One of `requestChecks`. */
  name: z.string(),
  isPassed: z.boolean(),
  /** One of `requestReasons`; null when it is passed. */
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
  /** The model that was asked for, when this one stands in for it. */
  fallbackFrom: z.string().nullable(),
})
export type ExplainCandidate = z.infer<typeof explainCandidate>

export const explainLeftOut = z.strictObject({
  group: z.string(),
  upstream: z.string().nullable(),
  model: z.string(),
  /** One of `leftOutCodes`. */
  code: z.string(),
  /** When it ends, or has ended. */
  until: timeMs.nullable(),
  /** The same in words. */
  why: z.string(),
})
export type ExplainLeftOut = z.infer<typeof explainLeftOut>

export const explainHold = z.strictObject({
  amountNano: nanoText,
  /** What the amount is made of. */
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

export const explainAnswer = z.strictObject({
  /** What the caller would get before anything is forwarded: 200, or the status of the refusal. */
  status: z.number(),
  /** Why it is refused, in the words that the caller reads; null when it is not. */
  refusal: z
    .strictObject({
      code: z.string(),
      message: z.string(),
    })
    .nullable(),
  /** In the order in which they are made; those after a failed one are absent. */
  checks: list(explainCheck),
  /** In the order in which they would be tried. */
  candidates: list(explainCandidate),
  leftOut: list(explainLeftOut),
  hold: explainHold.nullable(),
  /** All that the gateway said, as it is. */
  raw: json,
})
export type ExplainAnswer = z.infer<typeof explainAnswer>

export const auditRow = z.strictObject({
  seq: z.number(),
  at: timeMs,
  /** A user's id, `cli`, `provision`, or `stranger` for somebody who is not signed in. */
  actor: z.string(),
  /** The email of a user; null for the others. */
  actorName: z.string().nullable(),
  /** One of `auditActions`. */
  action: z.string(),
  subject: z.string(),
  /** What people call the subject; null when the id is its name, or nobody knows. */
  subjectName: z.string().nullable(),
  /** Secrets are masked. */
  before: json,
  after: json,
})
export type AuditRow = z.infer<typeof auditRow>

/** GET /operate/audit?actor=&action=&subject=&from=&to=&before= : newest first; `action` may be a beginning, such as `key.` */
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
  /** The process that answers this. */
  isThis: z.boolean(),
  leaseCount: z.number(),
  heldNano: nanoText,
})
export type ReplicaRow = z.infer<typeof replicaRow>

/** What is wrong with the books of an account, or of one of its keys. */
export const auditFinding = z.strictObject({
  /** One of `findingKinds`; null when only the words are known. */
  kind: z.string().nullable(),
  /** Of the account or the key. */
  id: z.string(),
  differenceNano: nanoText,
  /** The same in the words of the log. */
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

/** How the caller's own address is found; a proxy that is not trusted makes everybody look like the proxy. */
export const proxyCheck = z.strictObject({
  /** Who has connected to the gateway. */
  peer: z.string(),
  isPeerTrusted: z.boolean(),
  forwardedFor: z.string().nullable(),
  forwardedProto: z.string().nullable(),
  /** What the gateway takes for your address. */
  address: z.string(),
  trusted: list(z.string()),
  /** `untrusted-proxy`: the peer sends X-Forwarded-For but is not trusted. `trusts-all`: anybody could lie. */
  verdict: z.enum(['direct', 'proxied', 'untrusted-proxy', 'trusts-all']),
})
export type ProxyCheck = z.infer<typeof proxyCheck>

export const settingRow = z.strictObject({
  name: z.string(),
  /** Secrets are masked. */
  text: z.string(),
  /** Where it comes from: default, file, environment, flag. */
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
    kind: z.enum(['sqlite', 'postgres']),
    migrations: list(z.string()),
  }),
  replicas: list(replicaRow),
  selfAudit: z.strictObject({
    lastAt: timeMs.nullable(),
    stops: list(systemStop),
  }),
  leases: z.strictObject({
    count: z.number(),
    heldNano: nanoText,
    oldestAt: timeMs.nullable(),
  }),
  /** Of this process. */
  journal: z.strictObject({
    unshipped: z.number(),
    unshippedSince: timeMs.nullable(),
    openHolds: z.number(),
    oldestHoldAt: timeMs.nullable(),
    admitsWithoutEntry: z.number(),
    /** Records that the database has refused because of what is in them; any is a matter for a person. */
    refusedRecords: z.number(),
    /** Lines of journals that cannot be read, in journals that are kept. */
    damagedLines: z.number(),
    /** Why no request is admitted now, in the words of the log; null when requests are. */
    notAdmitting: z.string().nullable(),
  }),
  /** Older rows of the log have been deleted for their age; null: none. */
  logSince: timeMs.nullable(),
  proxy: proxyCheck,
  /** The token that asks; null for a person. */
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

export const bookCheck = z.strictObject({
  /** The rule of the ledger, such as L1. */
  rule: z.string(),
  name: z.string(),
  /** What was looked at, such as `3 accounts, 5 keys`. */
  examined: z.string(),
  wrong: z.number(),
  /** The first of what is wrong, one sentence each. */
  findings: list(z.string()),
})
export type BookCheck = z.infer<typeof bookCheck>

/** POST /operate/check-books */
export const booksAnswer = z.strictObject({
  /** Accounts that are stopped do not count: what stopped them is among the findings, or is over. */
  isInOrder: z.boolean(),
  checks: list(bookCheck),
  /** Of the process that answers: see `journal` of the system. */
  refusedRecords: z.number(),
  damagedLines: z.number(),
  stops: list(systemStop),
})
export type BooksAnswer = z.infer<typeof booksAnswer>

/** POST /operate/replay : about what the process that answers has set aside. */
export const replayAnswer = z.strictObject({
  /** Records that the database has now, be it that it had them before. */
  applied: z.number(),
  /** Records that it still refuses. */
  refused: z.number(),
  /** Lines that cannot be read. */
  damaged: z.number(),
})
export type ReplayAnswer = z.infer<typeof replayAnswer>

/** GET /setup : what a new gateway lacks. The steps use the routes of their pages; each can be skipped. */
export const setupAnswer = z.strictObject({
  isOpen: z.boolean(),
  hasPassword: z.boolean(),
  /** Besides the demo. */
  hasUpstream: z.boolean(),
  /** The first of them, so that a set-up that was left halfway goes on with it. */
  upstreamId: z.string().nullable(),
  /** One that is routed and priced, besides the demo's. */
  hasModel: z.boolean(),
  hasKey: z.boolean(),
  isDemo: z.boolean(),
  /** The account that the first key is made for. */
  accountId: z.string().nullable(),
})
export type SetupAnswer = z.infer<typeof setupAnswer>

/** POST /setup/close → DoneAnswer: the set-up is not offered again. */

/** POST /setup/model → SetupModelAnswer: model, price and route in one go, and the group when it is missing. */
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
  /** Nothing was changed: this is what would be. */
  isDryRun: z.boolean(),
  /** By kind of entry. */
  counts: z.record(z.string(), appliedCounts),
  /** Sentences for the operator. */
  warnings: list(z.string()),
})
