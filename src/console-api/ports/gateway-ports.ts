import type { z } from 'zod'
import type { LedgerTroubleKind, UpstreamProblemCode } from '../../core/codes.ts'
import type { Nano } from '../../core/money/money.ts'
import type { Arrival } from '../../core/network/arrival.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import type { MailContent } from '../../outbox/message.ts'
import type { Webhook } from '../../outbox/webhook.ts'
import type { Engine } from '../../store/engine.ts'
import type { StateFormat } from '../contract/choices.ts'
import type { appliedAnswer } from '../contract/system.ts'
import type { BreakerState, CredentialRow, UpstreamHealth } from '../contract.ts'

/** Health of one upstream as measured by this process. */
export interface HealthReading {
  readonly state: UpstreamHealth['state']
  readonly breaker: BreakerState
  readonly openUntilMs: number | undefined
  readonly firstTokenMs: number | undefined
  readonly inFlight: number
  readonly models: readonly ModelReading[]
  /** By credential id. */
  readonly credentials: ReadonlyMap<string, CredentialReading>
}

export interface ModelReading {
  readonly upstreamModel: string
  readonly breaker: BreakerState
  readonly openUntilMs: number | undefined
  readonly failuresInRow: number
  readonly firstTokenMs: number | undefined
}

export interface CredentialReading {
  readonly state: CredentialRow['state']
  readonly untilMs: number | undefined
}

export interface VendorFacts {
  readonly name: string
  readonly baseUrl: string | undefined
  readonly protocols: readonly string[]
}

export interface ProblemReading {
  readonly code: UpstreamProblemCode
  readonly text: string
  readonly words: string | undefined
}

export interface ModelsReading {
  /** Undefined if the upstream does not list its models. */
  readonly models: readonly string[] | undefined
  readonly problem: ProblemReading | undefined
}

export interface UpstreamTestReading {
  readonly protocol: string
  /** The masked credential that was sent. */
  readonly credential: string | undefined
  readonly status: number | undefined
  readonly text: string | undefined
  readonly problem: ProblemReading | undefined
  readonly totalMs: number
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly costNano: bigint | undefined
}

export interface RouteFacts {
  readonly vendor: string
  readonly protocol: string
  readonly baseUrl: string
  /** The upstream's name for the model. */
  readonly model: string
}

export interface ModelFacts {
  /** Protocols that reach the model without translation. */
  readonly nativeProtocols: readonly string[]
  readonly capabilities: readonly string[]
}

/** State of this process. */
export interface ProcessReading {
  readonly replica: string
  readonly version: string
  readonly runtime: string
  readonly startedAtMs: number
  readonly memoryBytes: number
  readonly unshipped: number
  readonly unshippedSinceMs: number | undefined
  readonly openHolds: number
  readonly oldestHoldAtMs: number | undefined
  readonly admitsWithoutEntry: number
  readonly refusedRecords: number
  readonly damagedLines: number
  /** Why no request is admitted now. */
  readonly notAdmitting: { readonly kind: LedgerTroubleKind; readonly why: string } | undefined
  readonly trustedProxies: readonly string[]
  readonly settings: readonly {
    readonly name: string
    readonly text: string
    readonly from: string
  }[]
}

export interface ReplayReading {
  readonly applied: number
  readonly refused: number
  readonly damaged: number
}

/** Paths that clients of a protocol call, relative to the gateway's URL. */
export interface ClientPaths {
  /** Suffix of the clients' base URL. */
  readonly base: string
  /** Path of a model request; `{model}` stands for the model id where it is part of the path. */
  readonly whole: string
  readonly stream: string
  /** Headers that only clients of the protocol send. */
  readonly headers: readonly string[]
}

/** Result of applying a document, or of a dry run, by kind of entry. */
export type AppliedReading =
  | {
      readonly counts: Readonly<
        Record<
          string,
          { readonly created: number; readonly changed: number; readonly same: number }
        >
      >
      readonly changes: readonly {
        readonly kind: string
        readonly id: string
        readonly result: z.infer<typeof appliedAnswer>['changes'][number]['result']
      }[]
      readonly warnings: readonly string[]
    }
  /** The problem and its location. Nothing was changed. */
  | { readonly wrong: string; readonly place: string | undefined }
  /** A credit of this amount needs a confirmation. */
  | { readonly unconfirmedNano: Nano; readonly place: string | undefined }

/** The state of the gateway in the format of the config file. */
export interface StatePort {
  /** Undefined if the state changes while it is read. */
  exportText(format: StateFormat): Promise<string | undefined>
  apply(
    document: unknown,
    options: {
      readonly actor: string
      readonly isDryRun: boolean
      /** From which amount a credit of a new account needs a confirmation, or that it is confirmed. */
      readonly grants: 'confirmed' | { readonly confirmFromNano: Nano }
      /** Throws in the transaction if the sender may no longer do this: see `change`. */
      readonly recheck: ((db: Engine['db']) => Promise<void>) | undefined
    },
  ): Promise<AppliedReading>
}

/** The mail server. */
export interface MailPort {
  /** Links in emails begin with it, never with the host of a request, which a visitor chooses. */
  readonly publicUrl: string
  /** Sends one email now, for a test. Throws a `DeliveryFailure`. */
  send(target: string, mail: MailContent): Promise<void>
}

/** The functions of the running gateway that the console needs; `serve` provides them. */
export interface GatewayPorts {
  readonly vendors: readonly VendorFacts[]
  clientPathsOf(protocol: ProtocolName): ClientPaths
  /** Whether this process has the built-in upstream. */
  readonly hasDemo: boolean
  /** Handles a request as if it came over the network from `address`. */
  forward(request: Request, address: string, arrival?: Arrival): Promise<Response>
  /** Resolves when requests to this process are handled as the database says now. */
  catchUp(): Promise<void>
  /** Asks for an explanation that names upstreams, in place of `true`. Never leaves this process. */
  readonly operatorToken: string
  healthOf(upstreamId: string): HealthReading | undefined
  /** Sends one small request per protocol. No account is charged. */
  tryUpstream(
    upstreamId: string,
    options: { readonly upstreamModel: string; readonly protocol: string | undefined },
  ): Promise<readonly UpstreamTestReading[]>
  /** The models that the upstream lists, or the problem; undefined for an unknown upstream. */
  upstreamModels(upstreamId: string): Promise<ModelsReading | undefined>
  factsOfModel(routes: readonly RouteFacts[]): ModelFacts
  readProcess(): ProcessReading
  /** Journal files in this process's data directory that need an operator. */
  countLeftovers(): Pick<ProcessReading, 'refusedRecords' | 'damagedLines'>
  /** Applies records that the database refused earlier, each once. */
  replayRefused(): Promise<ReplayReading>
  readonly state: StatePort
  /** Undefined when no mail server is configured. */
  readonly mail: MailPort | undefined
  /** Posts one message now, for a test. Throws a `DeliveryFailure`. */
  postWebhook(hook: Webhook): Promise<void>
}
