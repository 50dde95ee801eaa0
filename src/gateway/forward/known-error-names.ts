import type { UpstreamError } from '../../core/fault.ts'

/**
 * Names of errors that vendors publish. Only these are written to the log: an upstream may quote the request anywhere
 * in its error, and the log must not contain what clients send.
 */
const known = new Set(
  `api_error authentication_error billing_error invalid_request_error not_found_error overloaded_error
  permission_error rate_limit_error request_too_large server_error timeout_error tokens requests
  account_deactivated bad_request billing_hard_limit_reached billing_not_active content_filter
  content_policy_violation context_length_exceeded engine_overloaded insufficient_quota internal_error
  internal_server_error invalid_api_key invalid_image invalid_prompt invalid_type invalid_value
  missing_required_parameter model_not_found permission_denied rate_limit_exceeded service_unavailable slow_down
  string_above_max_length timeout unknown_parameter unsupported_country_region_territory unsupported_parameter
  unsupported_value vector_store_timeout
  aborted already_exists cancelled data_loss deadline_exceeded failed_precondition internal invalid_argument
  not_found out_of_range resource_exhausted unauthenticated unavailable unimplemented unknown
  deploymentnotfound operationnotsupported responsibleaipolicyviolation toomanyrequests unauthorized
  accessdeniedexception internalserverexception modelerrorexception modelnotreadyexception modeltimeoutexception
  resourcenotfoundexception servicequotaexceededexception serviceunavailableexception throttlingexception
  validationexception`.split(/\s+/),
)

/** Type and code of an upstream's error in parentheses; empty when the gateway knows neither. */
export function knownErrorNames(reported: UpstreamError | undefined): string {
  const names = [reported?.type, reported?.code].filter(
    (name) => name !== undefined && known.has(name.toLowerCase()),
  )
  return names.length === 0 ? '' : ` (${[...new Set(names)].join(', ')})`
}
