import { promptOf, type TokenUsage } from '../../../core/money/usage.ts'
import type { AttemptSpan, RequestSpan } from '../../../core/telemetry/request-span.ts'
import type { Attributes } from '../../../telemetry/otlp/values.ts'
import type { FinishedSpan } from '../../../telemetry/otlp/write-spans.ts'
import type { UsageRecord } from '../../../usage/usage-record.ts'

/**
 * The spans of a request in OpenTelemetry's conventions for HTTP and for generative models: one for the request, one
 * for each attempt. Never a prompt, an answer or a key. Only the span of the request has the usage, so that a sum over
 * all spans counts it once.
 */
export function describeSpans(
  record: UsageRecord,
  usage: TokenUsage | undefined,
  span: RequestSpan,
): FinishedSpan[] {
  const attempts = span.attempts.map((attempt) => describeAttempt(record, span, attempt))
  return [describeRequest(record, usage, span), ...attempts]
}

function describeRequest(
  record: UsageRecord,
  usage: TokenUsage | undefined,
  span: RequestSpan,
): FinishedSpan {
  const { status, reason } = record
  // Without a group, the model may be any text that the client sent.
  const model = record.groupId === undefined ? undefined : record.model
  const answered = span.attempts.findLast(({ end }) => end !== undefined && !end.reason)
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parent?.spanId,
    traceState: span.traceState,
    name: nameOf(span, model),
    kind: 'server',
    startMs: record.at,
    endMs: record.at + record.totalMs,
    attributes: {
      'gen_ai.operation.name': span.operation,
      'gen_ai.provider.name': answered?.provider,
      'gen_ai.request.model': model,
      'gen_ai.response.model': answered?.model,
      ...usageOf(usage),
      'http.request.method': span.method,
      'http.response.status_code': status,
      'url.path': span.path,
      'error.type': reason,
      'tollgate.request_id': record.requestId,
      'tollgate.protocol': record.protocol,
      'tollgate.account': record.accountId,
      'tollgate.key': record.keyId,
      'tollgate.group': record.groupId,
      'tollgate.upstream': record.upstreamId,
      'tollgate.stream': record.isStream,
      'tollgate.cost_dollars': { double: Number(record.costNano) / 1e9 },
      'tollgate.first_token_seconds':
        record.firstTokenMs === undefined ? undefined : { double: record.firstTokenMs / 1_000 },
    },
    // A mistake in the client's request is not an error of the server.
    isError: status >= 500,
  }
}

function usageOf(usage: TokenUsage | undefined): Attributes {
  if (!usage) return {}
  return {
    'gen_ai.usage.input_tokens': promptOf(usage),
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite5m + usage.cacheWrite1h,
  }
}

function describeAttempt(
  record: UsageRecord,
  span: RequestSpan,
  attempt: AttemptSpan,
): FinishedSpan {
  const { end, url } = attempt
  const { hostname, port, protocol } = new URL(url)
  return {
    traceId: span.traceId,
    spanId: attempt.spanId,
    parentSpanId: span.spanId,
    traceState: span.traceState,
    name: nameOf(span, attempt.model),
    kind: 'client',
    startMs: record.at + attempt.startMs,
    // An attempt that was given up ends with its request.
    endMs: record.at + (end?.ms ?? record.totalMs),
    attributes: {
      'gen_ai.operation.name': span.operation,
      'gen_ai.provider.name': attempt.provider,
      'gen_ai.request.model': attempt.model,
      'http.request.method': 'POST',
      'http.response.status_code': end?.status,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'error.type': end?.reason,
      'tollgate.upstream': attempt.upstreamId,
    },
    isError: end?.reason !== undefined,
  }
}

function nameOf({ operation, method }: RequestSpan, model: string | undefined): string {
  if (operation === undefined) return method
  return model === undefined ? operation : `${operation} ${model}`
}
