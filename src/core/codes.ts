import { type FaultCode, faultCodes } from './fault.ts'

/*
 * The codes that the gateway reports, each list defined once, here. The compiler checks every use, and a test compares
 * the lists with the texts of the console. The browser imports this file.
 */

/** The checks of a request, in order. The first failed check refuses the request. */
export const requestChecks = [
  'key',
  'account and address',
  'body',
  'model list of the key',
  'groups, catalogue and price',
  'earlier response',
  'features and shared objects',
  'rate limits',
  'credit and quota',
] as const
export type RequestCheck = (typeof requestChecks)[number]

/**
 * What was used up when a stream was ended before its end. `quota_cut`: only money that other requests held was left, or
 * the ledger did not tell.
 */
export const cutReasons = [
  'credit_cut',
  'key_quota_cut',
  'member_budget_cut',
  'account_budget_cut',
  'quota_cut',
] as const
export type CutReason = (typeof cutReasons)[number]

/** How a request or an attempt may end other than with a fault. */
const endings = [
  'stale_connection',
  'credential_limited',
  'client_gone',
  ...cutReasons,
  'interrupted',
  'explained',
] as const

/** Why a request or an attempt failed or ended early. */
export type RequestReason = FaultCode | (typeof endings)[number]
export const requestReasons: readonly RequestReason[] = [...faultCodes, ...endings]

/** Marks of charges that differ from the usual case. */
export const chargeFlags = [
  'estimated',
  'clamped',
  'inconsistent',
  'overage',
  'interrupted',
  'checkpoint',
] as const
export type ChargeFlag = (typeof chargeFlags)[number]

/** The endings of warnings, after the name of the field. The longest matching ending counts. */
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
/** The change of a field, or of a named part of the field. */
export type Warning = WarningEnding | `${string}_${WarningEnding}`

/** Why a candidate would not be tried. */
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
  'credential_limited',
  'not_needed',
] as const
export type LeftOutCode = (typeof leftOutCodes)[number]

/** Why the answer of an upstream did not arrive, or not completely. */
const connectionProblems = [
  'address_refused',
  'connect_failed',
  'connect_timeout',
  'tls_failed',
  'proxy_refused',
  'closed_before_answer',
  // The same on a reused connection, which the upstream may have been closing at that moment.
  'stale_connection',
  'cut_short',
  'bad_answer',
] as const
export type ConnectionProblem = (typeof connectionProblems)[number]

/** Problems that the test of an upstream can report. */
export const upstreamProblems = [
  'needs_credential',
  'credential_rejected',
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
 * Problems that the self-audit can find. `credit`: the credits differ from the sum of the account's balance, its leases
 * and the spending of its keys. `quota`: the same for a key. `entries`: the spending counted by a key and its leases
 * differs from the cost of its entries.
 */
export const findingKinds = ['credit', 'quota', 'entries', 'budget'] as const
export type FindingKind = (typeof findingKinds)[number]

/** Why a process admits no request. */
export const ledgerTroubles = ['identity lost', 'journal full', 'database behind'] as const
export type LedgerTroubleKind = (typeof ledgerTroubles)[number]
