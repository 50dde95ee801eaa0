import type { AddressRange } from '../core/address-range.ts'
import type { OpenIdConfig } from './open-id-settings.ts'
import type { Provision } from './provision.ts'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export const demoModes = ['auto', 'on', 'off'] as const
export type DemoMode = (typeof demoModes)[number]

export interface Listen {
  readonly hostname: string
  /** 0 lets the system choose. */
  readonly port: number
}

/** Upstream credentials that stand in the environment under their vendors' usual names. */
export interface EnvironmentCredentials {
  readonly openai?: string
  readonly anthropic?: string
  readonly google?: string
}

/** One setting as it is in force, for people: its text is masked where it is secret. */
export interface SettingInForce {
  readonly name: string
  readonly text: string
  /** `default`, `tollgate.yaml:3`, `TOLLGATE_LISTEN` or `--listen`. */
  readonly source: string
}

export interface ConfigFile {
  /** As the operator wrote it. */
  readonly path: string
  /** Whether a secret stands in the file itself and not in a variable that it names. */
  readonly holdsSecrets: boolean
}

/** Everything that can be configured, checked, with nothing left to look up. Frozen. */
export interface Config {
  readonly listen: Listen
  /** `sqlite://` with an absolute path, or a `postgres://` url. */
  readonly database: string
  /** Absolute path of the folder for the secret file and the journal; it must survive restarts. */
  /** Without a slash at its end. */
  readonly publicUrl: string | undefined
  readonly data: string
  readonly brand: string
  readonly trustedProxies: readonly AddressRange[]
  /** Origins, in small letters, or `*`. */
  readonly webOrigins: readonly string[]
  /** Undefined: the secret stands in the data folder, and is made there on first use. */
  readonly secret: string | undefined
  readonly replica: string | undefined
  readonly logLevel: LogLevel
  readonly demo: DemoMode
  readonly bodyBytesMax: number
  readonly drainMs: number
  /** How long requests are still taken after the order to stop, while `/readyz` says 503. */
  readonly lameDuckMs: number
  readonly responseRetentionMs: number
  /** 0 keeps the log for ever. */
  readonly usageRetentionMs: number
  readonly isPrivateMediaAllowed: boolean
  /** Whether members of an account see which upstreams served them. */
  readonly showsUpstreamsToMembers: boolean
  readonly mediaBytesMax: number
  /** What an answer waits for before its last byte leaves. */
  readonly durability: 'journal' | 'fsync' | 'database'
  readonly journalBytesMax: number
  /** Undefined: metrics are served on `listen`, if at all. */
  readonly metricsListen: Listen | undefined
  readonly metricsToken: string | undefined
  readonly bodiesInFlightBytesMax: number
  /** 0: no limit. */
  readonly connectionsPerAddressMax: number | 'auto'
  readonly connectionsMax: number
  /** Undefined: nobody signs in with an identity provider. */
  readonly openId: OpenIdConfig | undefined
  readonly provision: Provision
  readonly environmentCredentials: EnvironmentCredentials
  readonly file: ConfigFile | undefined
  readonly inForce: readonly SettingInForce[]
}
