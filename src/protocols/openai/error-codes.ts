import type { ErrorCodes } from '../protocol.ts'

const tooLong =
  /prompt is too long|context (?:length|window)|exceeds? the (?:maximum|limit).{0,40}token|input token count/i

/** The types and codes that OpenAI clients act on, for an error that another vendor reports in its own terms. */
export function errorCodesOf(
  status: number,
  message: string,
  code: string | undefined,
): ErrorCodes {
  if (status === 429) return { type: 'requests', code: 'rate_limit_exceeded' }
  if (status === 404) return { type: 'invalid_request_error', code: 'model_not_found' }
  if (status === 503 || status === 529)
    return { type: 'server_error', code: 'server_is_overloaded' }
  if (code === 'context_length_exceeded' || (status < 500 && tooLong.test(message))) {
    return { type: 'invalid_request_error', code: 'context_length_exceeded' }
  }
  return status >= 500
    ? { type: 'server_error', code: undefined }
    : { type: 'invalid_request_error', code: undefined }
}
