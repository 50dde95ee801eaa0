import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject } from '../../../src/wire/json.ts'
import { dig, digText } from '../dig.ts'
import { readSse, type WireEvent } from '../read-sse.ts'

/** The problems of the end of a failed stream: each protocol has its own format, and none ends cleanly. */
export function faultFormProblems(client: ProtocolName, text: string, message: string): string[] {
  const events = readSse(text)
  const last = events.at(-1)
  if (!last) return ['nothing was written']
  return formProblems[client](events, last, message)
}

type FormProblems = (events: readonly WireEvent[], last: WireEvent, message: string) => string[]

const formProblems: Readonly<Record<ProtocolName, FormProblems>> = {
  'chat-completions': (events, last, message) => [
    ...(events.some(({ data }) => data === '[DONE]') ? ['[DONE] in a stream that failed'] : []),
    ...unless(digText(last.json, 'error', 'message') === message, `last is ${last.data}`),
    ...unless(digText(last.json, 'error', 'type') !== '', 'the error has no type'),
  ],
  responses: (events, last, message) => {
    const error = events.at(-2)?.json
    const failed = dig(last.json, 'response')
    return [
      ...unless(digText(last.json, 'type') === 'response.failed', `last is ${last.data}`),
      ...unless(digText(failed, 'status') === 'failed', 'the status is not failed'),
      ...unless(
        digText(failed, 'error', 'message') === message,
        'response.error says something else',
      ),
      ...unless(digText(failed, 'error', 'code') !== '', 'response.error has no code'),
      ...unless(digText(error, 'type') === 'error', 'no error event before response.failed'),
      ...unless(digText(error, 'message') === message, 'the error event is not flat'),
      ...unless(digText(error, 'error', 'message') === message, 'the error event is not nested'),
    ]
  },
  messages: (events, last, message) => [
    ...unless(last.event === 'error', `last is ${last.event} ${last.data}`),
    ...unless(digText(last.json, 'type') === 'error', 'the type is not error'),
    ...unless(digText(last.json, 'error', 'message') === message, `last is ${last.data}`),
    ...unless(digText(last.json, 'error', 'type') !== '', 'the error has no type'),
    ...unless(!events.some(({ event }) => event === 'message_stop'), 'message_stop after a fault'),
  ],
  'generate-content': (events, last, message) => {
    const error = dig(last.json, 'error')
    return [
      ...unless(isObject(error), `last is ${last.data}`),
      ...unless(digText(error, 'message') === message, 'the error says something else'),
      ...unless(typeof dig(error, 'code') === 'number', 'the error has no code'),
      ...unless(digText(error, 'status') !== '', 'the error has no status'),
      ...unless(!events.some(hasFinish), 'finishReason in a stream that failed'),
    ]
  },
}

function hasFinish({ json }: WireEvent): boolean {
  return digText(json, 'candidates', 0, 'finishReason') !== ''
}

function unless(isGood: boolean, problem: string): string[] {
  return isGood ? [] : [problem]
}
