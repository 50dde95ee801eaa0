import { type FaultCode, faultCodes } from './fault.ts'

/*
 * What the gateway says in words of its own, as codes: each list is written once, here. Whoever says one is checked by
 * the compiler, and a test compares the lists with the words of the console. The browser imports this file.
 */

/** The checks of a request, in the order in which they are made. The first that it does not pass refuses it. */
export const requestChecks = [
  'key',
  'account and address',
  'body',
  'model list of the key',
  'groups, catalogue and price',
  'earlier response',
  'features and shared objects',
  'credit and quota',
] as const
export type RequestCheck = (typeof requestChecks)[number]

/** How a request, or one try of it, may end besides with a fault. */
const endings = [
  'stale_connection',
  'client_gone',
  'quota_cut',
  'interrupted',
  'explained',
] as const

/** Why a request, or one try of it, did not end well. */
export type RequestReason = FaultCode | (typeof endings)[number]
export const requestReasons: readonly RequestReason[] = [...faultCodes, ...endings]

/** What was special about a charge. */
export const chargeFlags = [
  'estimated',
  'clamped',
  'inconsistent',
  'overage',
  'interrupted',
  'checkpoint',
] as const
export type ChargeFlag = (typeof chargeFlags)[number]

/** How warnings end, behind the name of the field; the longest that fits counts. */
export const warningEndings = [
  'dropped',
  'clamped',
  'raised',
  'renamed',
  'weakened',
  'as_instruction',
  'not_forced',
  'history_dropped',
  'signature_dropped',
  'strict_dropped',
  'hosted_dropped',
  'hosted_tools_dropped',
  'detail_dropped',
  'blank_dropped',
  'media_dropped',
  'assistant_media_dropped',
  'arguments_wrapped',
  'grammar_described',
  'user_turn_added',
  'result_without_call',
  'result_missing',
] as const
type WarningEnding = (typeof warningEndings)[number]
/** What has become of a field, or of something in it that has a name. */
export type Warning = WarningEnding | `${string}_${WarningEnding}`

/** Why somebody would not be tried. */
export const leftOutCodes = [
  'group_gone',
  'group_not_granted',
  'grant_ended',
  'no_route',
  'not_priced',
  'disabled',
  'moved',
  'other_upstream_pinned',
  'other_credential_pinned',
  'full',
  'credential_dead',
  'breaker_open',
  'breaker_half_open',
  'rate_limited',
  'not_needed',
] as const
export type LeftOutCode = (typeof leftOutCodes)[number]

/** What keeps an answer of an upstream from coming, or from coming whole. */
const connectionProblems = [
  'address_refused',
  'connect_failed',
  'connect_timeout',
  'tls_failed',
  'proxy_refused',
  'closed_before_answer',
  // The same on a connection that was used before: the upstream may have been closing it just then.
  'stale_connection',
  'cut_short',
  'bad_answer',
] as const
export type ConnectionProblem = (typeof connectionProblems)[number]

/** What can be wrong with an upstream that is tested. */
export const upstreamProblems = [
  'needs_credential',
  'not_spoken',
  'too_late',
  'refused',
  'refused_silently',
  'unreadable',
  'unreachable',
  ...connectionProblems,
] as const
export type UpstreamProblemCode = (typeof upstreamProblems)[number]

/**
 * What the self-audit can find wrong with books. `credit`: credits are not what the account has, leases hold and keys
 * have spent. `quota`: the same for a key. `entries`: what a key and its leases count as spent is not what its entries
 * cost.
 */
export const findingKinds = ['credit', 'quota', 'entries'] as const
export type FindingKind = (typeof findingKinds)[number]
