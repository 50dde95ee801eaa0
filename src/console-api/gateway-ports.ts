import type { Arrival } from '../core/arrival.ts'
import type { UpstreamProblemCode } from '../core/codes.ts'
import type { ProtocolName } from '../core/protocol-name.ts'

/** How one upstream is, as this process has seen it. */
export interface HealthReading {
  readonly state: 'well' | 'ill' | 'out' | 'unknown'
  readonly breaker: 'closed' | 'open' | 'half-open'
  readonly openUntilMs: number | undefined
  readonly firstTokenMs: number | undefined
  readonly inFlight: number
  readonly models: readonly ModelReading[]
  /** By the credential's id. */
  readonly credentials: ReadonlyMap<string, CredentialReading>
}

export interface ModelReading {
  readonly upstreamModel: string
  readonly breaker: 'closed' | 'open' | 'half-open'
  readonly openUntilMs: number | undefined
  readonly failuresInRow: number
  readonly firstTokenMs: number | undefined
}

export interface CredentialReading {
  readonly state: 'well' | 'resting' | 'refused' | 'unknown'
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
  /** Undefined when the upstream does not tell. */
  readonly models: readonly string[] | undefined
  readonly problem: ProblemReading | undefined
}

export interface UpstreamTrial {
  readonly protocol: string
  /** What people may see of the credential that was shown. */
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
  /** The upstream's own name of the model. */
  readonly model: string
}

export interface ModelFacts {
  /** Those that reach it without being translated. */
  readonly nativeProtocols: readonly string[]
  readonly capabilities: readonly string[]
}

/** What this process knows about itself. */
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
  readonly notAdmitting: { readonly kind: string; readonly why: string } | undefined
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

/** Where the clients of a protocol call, below the address of the gateway. */
export interface ClientPaths {
  /** What the base address of its clients ends in. */
  readonly base: string
  /** Where a model is asked; `{model}` stands for its id, where that is part of the path. */
  readonly whole: string
  readonly stream: string
}

/** What applying a document did or would do, by kind of entry. */
export type AppliedReading =
  | {
      readonly counts: Readonly<
        Record<
          string,
          { readonly created: number; readonly changed: number; readonly same: number }
        >
      >
      readonly warnings: readonly string[]
    }
  /** What is wrong with it, and where; nothing was changed. */
  | { readonly wrong: string; readonly place: string | undefined }

/** The state of the gateway in the words of the config file. */
export interface StatePort {
  /** Undefined while changes go on. */
  exportText(format: 'json' | 'yaml'): Promise<string | undefined>
  apply(
    document: unknown,
    wish: { readonly actor: string; readonly isDryRun: boolean },
  ): Promise<AppliedReading>
}

/** What the console asks of the running gateway; `serve` puts it together. */
export interface GatewayPorts {
  readonly vendors: readonly VendorFacts[]
  clientPathsOf(protocol: ProtocolName): ClientPaths
  /** Whether this process has the built-in upstream. */
  readonly hasDemo: boolean
  /** Answers a request as if it had come over the network from `address`. */
  forward(request: Request, address: string, arrival?: Arrival): Promise<Response>
  /** Asks for an explanation that names upstreams, in place of `true`. Never leaves this process. */
  readonly operatorToken: string
  healthOf(upstreamId: string): HealthReading | undefined
  /** One small request for each protocol; charged to nobody. */
  tryUpstream(
    upstreamId: string,
    wish: { readonly upstreamModel: string; readonly protocol: string | undefined },
  ): Promise<readonly UpstreamTrial[]>
  /** What the upstream itself says it has, or why it says nothing; undefined when there is no such upstream. */
  upstreamModels(upstreamId: string): Promise<ModelsReading | undefined>
  factsOfModel(routes: readonly RouteFacts[]): ModelFacts
  readProcess(): ProcessReading
  /** What waits in this process's folder for a person. */
  countLeftovers(): Pick<ProcessReading, 'refusedRecords' | 'damagedLines'>
  /** Applies what the database had refused of this process, each record once. */
  replayRefused(): Promise<ReplayReading>
  readonly state: StatePort
}
