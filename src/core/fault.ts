import type { LimitHeaders, ReachedLimit } from './limits/rate-limit.ts'

/** Every reason for which the gateway refuses or fails a request, with its HTTP status. */
export const faultStatus = {
  invalid_token: 401,
  account_suspended: 403,
  account_expired: 403,
  ip_not_allowed: 403,
  model_not_allowed: 403,
  group_not_allowed: 403,
  insufficient_credit: 403,
  key_quota_exhausted: 403,
  member_budget_exhausted: 403,
  account_budget_exhausted: 403,
  quota_in_flight: 403,
  model_not_priced: 403,
  not_found: 404,
  model_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  request_too_large: 413,
  upgrade_required: 426,
  invalid_request: 400,
  feature_not_priced: 400,
  shared_object_not_allowed: 400,
  rate_limit_exceeded: 429,
  previous_response_not_found: 400,
  upstream_rejected: 400,
  internal_error: 500,
  upstream_error: 502,
  no_upstream_available: 503,
  unavailable: 503,
  upstream_timeout: 504,
} as const

export type FaultCode = keyof typeof faultStatus
export const faultCodes = Object.keys(faultStatus) as readonly FaultCode[]

/** The upstream's own error, kept so that the caller reads the true reason. */
export interface UpstreamError {
  readonly status: number
  readonly type?: string | undefined
  readonly code?: string | undefined
  readonly param?: string | undefined
}

export interface FaultDetails {
  /** The field of the request that is at fault. */
  readonly param?: string
  /** A message for the operator that the caller must not see. */
  readonly operatorMessage?: string
  readonly retryAfterSeconds?: number
  /** When the budget that refuses the request resets, as an ISO 8601 time. */
  readonly resetsAt?: string
  /** Overrides the code's own status: an upstream's 4xx is passed on unchanged. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly limitHeaders?: LimitHeaders | undefined
  readonly upstream?: UpstreamError
  /** The upstream sent no readable error, so the message is the gateway's own. */
  readonly isSilent?: boolean
  /** A retry would not help, or would only multiply the gateway's own attempts. */
  readonly isFinal?: boolean
  /** The rate limit that refused the request. */
  readonly limit?: ReachedLimit
  /** Only this upstream's protocol cannot express the request; another protocol might. */
  readonly isUntranslatable?: boolean
  readonly cause?: unknown
}

/** A refusal. A step throws it, and the edge turns it into the protocol's error body. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: FaultCode
  readonly status: number
  readonly details: FaultDetails

  constructor(code: FaultCode, message: string, details: FaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status ?? faultStatus[code]
    this.details = details
  }
}

/** A dependency of a request, such as the database, is temporarily unavailable. */
export class DependencyUnavailable extends Error {
  override readonly name: string = 'DependencyUnavailable'
}

/** The dependency was lost while it saved a change. Repeating the change could apply it twice. */
export class OutcomeUnknown extends DependencyUnavailable {
  override readonly name = 'OutcomeUnknown'
}

export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (error instanceof OutcomeUnknown) {
    return new Fault(
      'unavailable',
      'The gateway lost its database while it saved the change. The change may have been saved: check before you repeat it.',
      { operatorMessage: error.message, cause: error },
    )
  }
  if (error instanceof DependencyUnavailable) {
    return new Fault('unavailable', 'The gateway cannot reach its database now. Try again.', {
      retryAfterSeconds: 1,
      operatorMessage: error.message,
      cause: error,
    })
  }
  const operatorMessage = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new Fault(
    'internal_error',
    'The gateway failed to answer this request. It was not charged.',
    {
      operatorMessage,
    },
  )
}
