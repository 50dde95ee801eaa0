/*
 * The contract between the browser app and its back end. With rules.ts this is all that the browser may import from the
 * server: types, a few constants, and the vocabulary of core. The browser translates each code and shows an unknown
 * code, from another version, unchanged. The schemas are in contract/ for the back end; only their types are exported
 * here, so that the browser does not load them. Paths are relative to /console/api; ids in them are encoded with
 * encodeURIComponent. Amounts are whole nano-US-dollars as decimal text, because a JSON number cannot hold them
 * exactly. Times are milliseconds since 1970.
 */
export { type AdminScope, adminScopes } from '../core/access/admin-scope.ts'
export {
  chargeFlags,
  findingKinds,
  ledgerTroubles,
  leftOutCodes,
  requestChecks,
  requestReasons,
  upstreamProblems,
  warningEndings,
} from '../core/codes.ts'
export { readDeliveryText } from '../core/delivery-problem.ts'
export { channels, messageStates } from '../core/message-state.ts'
export { creditReasons } from '../core/money/credit-reasons.ts'
export { type FeatureName, featureNames } from '../core/money/feature.ts'
export { nanoPerDollar } from '../core/money/money.ts'
export { usageSources } from '../core/money/usage.ts'
export * from '../core/neutral/protocol-name.ts'
export { incompleteJsonLine } from '../core/text/export-format.ts'
export { type Language, languages } from '../core/text/language.ts'
export { defaultSignInLabel } from '../core/text/sign-in-label.ts'
export { themes } from '../core/text/theme.ts'
export { type AttemptNote, choiceReasons, requestChanges } from '../core/upstreams/attempt-note.ts'
export { type Priority, priorities } from '../core/upstreams/priority.ts'
export type * from './contract/account.ts'
export type * from './contract/alerts.ts'
export * from './contract/audit.ts'
export * from './contract/basics.ts'
export type * from './contract/billing.ts'
export type * from './contract/budgets.ts'
export type * from './contract/catalog.ts'
export * from './contract/choices.ts'
export type * from './contract/keys.ts'
export type * from './contract/models.ts'
export type * from './contract/operations/operations.ts'
export type * from './contract/overview.ts'
export type * from './contract/people.ts'
export type * from './contract/recordings.ts'
export type * from './contract/session.ts'
export type * from './contract/shapes.ts'
export type * from './contract/system.ts'
export type * from './contract/tokens.ts'
export type * from './contract/upstreams.ts'
export type * from './contract/usage.ts'
export type { UsageQuery } from './contract/usage-query.ts'
