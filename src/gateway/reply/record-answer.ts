import { asFault } from '../../core/fault.ts'
import type { RecordingDraft } from '../../recording/draft.ts'
import { type Call, clientGoneResponse, type GatewayResponse } from '../call.ts'
import type { RequestTrace } from '../request-trace.ts'
import { answerFault } from './answer-fault.ts'

/** Records the response as the client gets it, also an error or the part of a stream until the client disconnects. */
export async function recordAnswer(
  call: Call,
  trace: RequestTrace,
  draft: RecordingDraft,
  answering: Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  try {
    const answer = await answering
    const { body, status } = answer
    if (body instanceof ReadableStream)
      return { ...answer, body: watch(body, status, trace, draft) }
    draft.addResponse(bytesOf(body))
    draft.finish(status, trace.model)
    return answer
  } catch (error) {
    const { status, body } = answerFault(call, asFault(error))
    if (!(body instanceof ReadableStream)) draft.addResponse(bytesOf(body))
    draft.finish(status, trace.model)
    throw error
  }
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body
}

/** The same stream. It is read only when the client can take more, as without a recording. */
function watch(
  body: ReadableStream<Uint8Array>,
  status: number,
  trace: RequestTrace,
  draft: RecordingDraft,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (!done) {
            draft.addResponse(value)
            controller.enqueue(value)
            return
          }
          draft.finish(status, trace.model)
          controller.close()
        } catch (error) {
          draft.finish(status, trace.model)
          controller.error(error)
        }
      },
      cancel: (reason) => {
        draft.finish(clientGoneResponse.status, trace.model)
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
