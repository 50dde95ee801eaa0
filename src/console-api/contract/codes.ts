/*
 * What the gateway says in words of its own, as codes. The browser says each in the reader's language; a code that it
 * does not know, from a newer or an older version, is shown as it is.
 */

/** Why a request, or one try of it, did not end well. */
export const requestReasons = [
  'invalid_token',
  'account_suspended',
  'account_expired',
  'ip_not_allowed',
  'model_not_allowed',
  'group_not_allowed',
  'insufficient_credit',
  'key_quota_exhausted',
  'quota_in_flight',
  'model_not_priced',
  'shared_object_not_allowed',
  'not_found',
  'model_not_found',
  'method_not_allowed',
  'request_timeout',
  'request_too_large',
  'upgrade_required',
  'invalid_request',
  'feature_not_priced',
  'rate_limit_exceeded',
  'previous_response_not_found',
  'upstream_rejected',
  'internal_error',
  'upstream_error',
  'no_upstream_available',
  'unavailable',
  'upstream_timeout',
  'stale_connection',
  'client_gone',
  'quota_cut',
  'interrupted',
  'explained',
] as const

/** What was special about a charge. */
export const chargeFlags = [
  'estimated',
  'clamped',
  'inconsistent',
  'overage',
  'interrupted',
  'checkpoint',
] as const

/** Where the token figures of a charge come from. */
export const usageSources = ['upstream', 'estimated', 'recovered', 'clamped', 'none'] as const

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

/** The checks of a request, in the order in which they are made. */
export const explainChecks = [
  'key',
  'account and address',
  'body',
  'model list of the key',
  'groups, catalogue and price',
  'earlier response',
  'features and shared objects',
  'credit and quota',
] as const

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

/** What can be wrong with an upstream that is tested. */
export const upstreamProblems = [
  'needs_credential',
  'not_spoken',
  'too_late',
  'refused',
  'refused_silently',
  'unreadable',
  'unreachable',
  'address_refused',
  'connect_failed',
  'connect_timeout',
  'tls_failed',
  'proxy_refused',
  'closed_before_answer',
  'stale_connection',
  'cut_short',
  'bad_answer',
] as const

/** What the self-audit can find wrong with the books of an account. */
export const findingKinds = ['credit', 'quota', 'entries'] as const

/** What actions of the audit log are about: how their names begin. */
export const auditKinds = [
  'account',
  'credential',
  'group',
  'key',
  'member',
  'model',
  'price',
  'routes',
  'session',
  'setup',
  'token',
  'upstream',
  'user',
] as const

export const auditActions = [
  'account.created',
  'account.changed',
  'account.renamed',
  'account.suspended',
  'account.resumed',
  'account.credited',
  'account.corrected',
  'account.credit-reversed',
  'account.released',
  'credential.added',
  'credential.changed',
  'credential.deleted',
  'group.created',
  'group.changed',
  'group.deleted',
  'key.created',
  'key.changed',
  'key.enabled',
  'key.disabled',
  'key.deleted',
  'key.revealed',
  'key.rotated',
  'key.explained',
  'member.added',
  'member.invited',
  'member.accepted',
  'member.declined',
  'member.changed',
  'member.removed',
  'model.created',
  'model.changed',
  'model.deleted',
  'price.added',
  'routes.changed',
  'session.ended',
  'session.others-ended',
  'setup.closed',
  'setup.model-made',
  'token.created',
  'token.revoked',
  'upstream.created',
  'upstream.changed',
  'upstream.deleted',
  'upstream.tested',
  'user.created',
  'user.changed',
  'user.deleted',
  'user.signed-in',
  'user.sign-in-failed',
  'user.sign-in-locked',
  'user.set-password',
  'user.preferences-set',
  'user.sign-in-link-made',
  'user.redeem-sign-in-link',
  'user.invitation-opened',
  'user.vouched',
  'user.totp-started',
  'user.totp-set',
  'user.totp-removed',
] as const

/** What a price can have beyond plain tokens: a price for each call, a price of its own tokens, or a factor. */
export const priceFeatures = [
  'webSearch',
  'webFetch',
  'mapsSearch',
  'fileSearch',
  'codeExecution',
  'imageGeneration',
  'mcp',
  'otherTool',
  'priorityTier',
  'flexTier',
  'otherTier',
  'fastMode',
  'regionalInference',
  'audioInput',
  'audioOutput',
  'imageOutput',
] as const

export type PriceFeature = (typeof priceFeatures)[number]
