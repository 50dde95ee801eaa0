import type { routedModelDefinition } from '../../catalog/definition/route.ts'
import type { ProtocolName } from '../../core/protocol-name.ts'
import type { ChoiceReason } from '../../core/try-note.ts'
import type { NewWireOf } from '../../fields/definition.ts'
import type { Json, NanoText, Page, TimeMs } from './basics.ts'

/** POST /operate/explain → ExplainAnswer: what would happen to this request; nothing is sent or charged. */
export interface ExplainRequest {
  readonly keyId: string
  readonly protocol: ProtocolName
  /** The body as text, as a client would send it. */
  readonly body: string
  /** generate-content has the model in the path. */
  readonly model?: string
  readonly isStream?: boolean
  /** As if it came from this address; absent: from here. */
  readonly address?: string
}

export interface ExplainAnswer {
  /** What the caller would get before anything is forwarded: 200, or the status of the refusal. */
  readonly status: number
  /** Why it is refused, in the words that the caller reads; null when it is not. */
  readonly refusal: { readonly code: string; readonly message: string } | null
  /** In the order in which they are made; those after a failed one are absent. */
  readonly checks: readonly ExplainCheck[]
  /** In the order in which they would be tried. */
  readonly candidates: readonly ExplainCandidate[]
  readonly leftOut: readonly ExplainLeftOut[]
  readonly hold: ExplainHold | null
  /** All that the gateway said, as it is. */
  readonly raw: Json
}

export interface ExplainCheck {
  /** One of `explainChecks`. */
  readonly name: string
  readonly isPassed: boolean
  /** One of `requestReasons`; null when it is passed. */
  readonly code: string | null
  readonly detail: string
}

export interface ExplainCandidate {
  readonly group: string
  readonly model: string
  readonly upstream: string
  readonly upstreamModel: string
  readonly credential: string | null
  readonly priority: number
  readonly weight: number
  readonly why: ChoiceReason
  /** The model that was asked for, when this one stands in for it. */
  readonly fallbackFrom: string | null
}

export interface ExplainLeftOut {
  readonly group: string
  readonly upstream: string | null
  readonly model: string
  /** One of `leftOutCodes`. */
  readonly code: string
  /** When it ends, or has ended. */
  readonly until: TimeMs | null
  /** The same in words. */
  readonly why: string
}

export interface ExplainHold {
  readonly amountNano: NanoText
  /** What the amount is made of. */
  readonly lines: readonly {
    readonly name: string
    readonly tokens: number
    readonly priceNano: NanoText
    readonly amountNano: NanoText
  }[]
}

export interface AuditRow {
  readonly seq: number
  readonly at: TimeMs
  /** A user's id, `cli`, `provision`, or `stranger` for somebody who is not signed in. */
  readonly actor: string
  /** The email of a user; null for the others. */
  readonly actorName: string | null
  /** One of `auditActions`. */
  readonly action: string
  readonly subject: string
  /** What people call the subject; null when the id is its name, or nobody knows. */
  readonly subjectName: string | null
  /** Secrets are masked. */
  readonly before: Json
  readonly after: Json
}

/** GET /operate/audit?actor=&action=&subject=&from=&to=&before= : newest first; `action` may be a beginning, such as `key.` */
export interface AuditAnswer extends Page {
  readonly rows: readonly AuditRow[]
}

export interface ReplicaRow {
  readonly id: string
  readonly epoch: number
  readonly seenAt: TimeMs
  readonly isAlive: boolean
  /** The process that answers this. */
  readonly isThis: boolean
  readonly leaseCount: number
  readonly heldNano: NanoText
}

/** What is wrong with the books of an account, or of one of its keys. */
export interface AuditFinding {
  /** One of `findingKinds`; null when only the words are known. */
  readonly kind: string | null
  /** Of the account or the key. */
  readonly id: string
  readonly differenceNano: NanoText
  /** The same in the words of the log. */
  readonly text: string
}

export interface SystemStop {
  readonly accountId: string
  readonly foundAt: TimeMs
  readonly findings: readonly AuditFinding[]
  readonly isReleased: boolean
}

/** How the caller's own address is found; a proxy that is not trusted makes everybody look like the proxy. */
export interface ProxyCheck {
  /** Who has connected to the gateway. */
  readonly peer: string
  readonly isPeerTrusted: boolean
  readonly forwardedFor: string | null
  readonly forwardedProto: string | null
  /** What the gateway takes for your address. */
  readonly address: string
  readonly trusted: readonly string[]
  /** `untrusted-proxy`: the peer sends X-Forwarded-For but is not trusted. `trusts-all`: anybody could lie. */
  readonly verdict: 'direct' | 'proxied' | 'untrusted-proxy' | 'trusts-all'
}

export interface SettingRow {
  readonly name: string
  /** Secrets are masked. */
  readonly text: string
  /** Where it comes from: default, file, environment, flag. */
  readonly from: string
}

/** GET /operate/system */
export interface SystemAnswer {
  readonly now: TimeMs
  readonly version: string
  readonly runtime: string
  readonly startedAt: TimeMs
  readonly memoryBytes: number
  readonly database: {
    readonly kind: 'sqlite' | 'postgres'
    readonly migrations: readonly string[]
  }
  readonly replicas: readonly ReplicaRow[]
  readonly selfAudit: {
    readonly lastAt: TimeMs | null
    readonly stops: readonly SystemStop[]
  }
  readonly leases: {
    readonly count: number
    readonly heldNano: NanoText
    readonly oldestAt: TimeMs | null
  }
  /** Of this process. */
  readonly journal: {
    readonly unshipped: number
    readonly unshippedSince: TimeMs | null
    readonly openHolds: number
    readonly oldestHoldAt: TimeMs | null
    readonly admitsWithoutEntry: number
    /** Records that the database has refused because of what is in them; any is a matter for a person. */
    readonly refusedRecords: number
    /** Lines of journals that cannot be read, in journals that are kept. */
    readonly damagedLines: number
    /** Why no request is admitted now, in the words of the log; null when requests are. */
    readonly notAdmitting: string | null
  }
  /** Older rows of the log have been deleted for their age; null: none. */
  readonly logSince: TimeMs | null
  readonly proxy: ProxyCheck
  readonly settings: readonly SettingRow[]
}

/** GET /setup : what a new gateway lacks. The steps use the routes of their pages; each can be skipped. */
export interface SetupAnswer {
  readonly isOpen: boolean
  readonly hasPassword: boolean
  /** Besides the demo. */
  readonly hasUpstream: boolean
  /** The first of them, so that a set-up that was left halfway goes on with it. */
  readonly upstreamId: string | null
  /** One that is routed and priced, besides the demo's. */
  readonly hasModel: boolean
  readonly hasKey: boolean
  readonly isDemo: boolean
  /** The account that the first key is made for. */
  readonly accountId: string | null
}

/** POST /setup/close → DoneAnswer: the set-up is not offered again. */

/** POST /setup/model → SetupModelAnswer: model, price and route in one go, and the group when it is missing. */
export type SetupModelRequest = NewWireOf<typeof routedModelDefinition>

export interface SetupModelAnswer {
  readonly model: string
  readonly group: string
}
