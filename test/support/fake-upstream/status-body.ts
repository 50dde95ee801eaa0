/** An upstream's error body in the format of the path's protocol. */
export function statusBody(path: string, status: number, message: string): object {
  if (path.startsWith('/v1/messages')) {
    return { type: 'error', error: { type: messagesType(status), message }, request_id: 'req_fake' }
  }
  if (path.startsWith('/v1beta/')) {
    return { error: { code: status, message, status: googleWord(status) } }
  }
  const isRateLimit = status === 429
  const type = isRateLimit ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error'
  return { error: { message, type, param: null, code: isRateLimit ? 'rate_limit_exceeded' : null } }
}

function messagesType(status: number): string {
  const types: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  }
  return types[status] ?? 'api_error'
}

function googleWord(status: number): string {
  const words: Readonly<Record<number, string>> = {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    429: 'RESOURCE_EXHAUSTED',
    503: 'UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
    529: 'UNAVAILABLE',
  }
  return words[status] ?? 'INTERNAL'
}
