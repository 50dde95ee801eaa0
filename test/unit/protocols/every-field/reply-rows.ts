import type { Annotation } from '../../../../src/core/neutral/model-request.ts'
import type { ProtocolName } from '../../../../src/core/neutral/protocol-name.ts'
import type { Finish, ReplyEvent, TokenLogprob } from '../../../../src/core/neutral/reply-event.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { call, part, text } from '../chat-completions/neutral-replies.ts'

/** Parts of a reply and why it ended, and the form of the answer in each protocol. */
export interface ReplyRow {
  readonly parts: readonly ReplyEvent[]
  readonly finish: Omit<Finish, 'raw'>
  readonly answers: Readonly<Record<ProtocolName, ReplyForm>>
}

export interface ReplyForm {
  readonly answer: JsonObject
  /** The events that the protocol's own decoder reads from the answer. Absent: the parts and the finish of the row. */
  readonly reads?: { readonly parts?: readonly ReplyEvent[]; readonly finish?: Omit<Finish, 'raw'> }
}

const annotation: Annotation = {
  url: 'https://a.example/',
  title: 'A',
  start: 0,
  end: 4,
  citedText: undefined,
}
const logprob: TokenLogprob = {
  token: 'Rain',
  logprob: -0.5,
  bytes: [82],
  top: [{ token: 'Sun', logprob: -1.5, bytes: [83] }],
}
const barelogprob: TokenLogprob = {
  ...logprob,
  bytes: undefined,
  top: [{ token: 'Sun', logprob: -1.5, bytes: undefined }],
}

function annotated(...annotations: Annotation[]): ReplyEvent[] {
  return part({ type: 'text' }, ['Rain'], { annotations })
}

function weighed(...logprobs: TokenLogprob[]): ReplyEvent[] {
  const [start, delta, end] = text('Rain')
  if (!start || delta?.type !== 'part-delta' || !end) throw new Error('no text')
  return [start, { ...delta, logprobs }, end]
}

function choice(message: JsonObject, finish_reason: string, logprobs: unknown = null): ReplyForm {
  return {
    answer: {
      index: 0,
      message: { role: 'assistant', content: null, refusal: null, ...message },
      logprobs,
      finish_reason,
    },
  }
}

interface Ending {
  readonly status: string
  readonly reason?: string
}

function output(item: JsonObject, { status, reason }: Ending = { status: 'completed' }): ReplyForm {
  const incomplete_details = reason === undefined ? null : { reason }
  return { answer: { status, error: null, incomplete_details, output: [{ status, ...item }] } }
}

function message(content: JsonObject, ending?: Ending): ReplyForm {
  return output({ id: 'msg_2', type: 'message', role: 'assistant', content: [content] }, ending)
}

function words(more: JsonObject = {}): JsonObject {
  return { type: 'output_text', text: 'Rain', annotations: [], logprobs: [], ...more }
}

function blocks(
  content: readonly JsonObject[],
  stop_reason: string,
  more: JsonObject = {},
): ReplyForm {
  return { answer: { content, stop_reason, stop_sequence: null, stop_details: null, ...more } }
}

function candidate(parts: readonly JsonObject[], finishReason: string, more = {}): ReplyForm {
  return { answer: { index: 0, content: { role: 'model', parts }, finishReason, ...more } }
}

const rain = { type: 'text', text: 'Rain' }

/** A finish that the protocol has no word for is read as another. */
function readAs(form: ReplyForm, reason: Finish['reason']): ReplyForm {
  return { ...form, reads: { finish: { reason } } }
}

export const replyRows: Readonly<Record<string, ReplyRow>> = {
  'a text': {
    parts: text('Rain'),
    finish: { reason: 'stop' },
    answers: {
      'chat-completions': choice({ content: 'Rain' }, 'stop'),
      responses: message(words()),
      messages: blocks([rain], 'end_turn'),
      'generate-content': candidate([{ text: 'Rain' }], 'STOP'),
    },
  },
  'a call': {
    parts: call('call_1', ['{"city":"Oslo"}']),
    finish: { reason: 'tool-calls' },
    answers: {
      'chat-completions': choice(
        {
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'f', arguments: '{"city":"Oslo"}' },
            },
          ],
        },
        'tool_calls',
      ),
      responses: output({
        id: 'fc_2',
        type: 'function_call',
        call_id: 'call_1',
        name: 'f',
        arguments: '{"city":"Oslo"}',
      }),
      messages: blocks(
        [
          {
            type: 'tool_use',
            id: 'call_1',
            name: 'f',
            input: { city: 'Oslo' },
            caller: { type: 'direct' },
          },
        ],
        'tool_use',
      ),
      'generate-content': candidate(
        [{ functionCall: { id: 'call_1', name: 'f', args: { city: 'Oslo' } } }],
        'STOP',
      ),
    },
  },
  'a call of a custom tool': {
    parts: call('call_1', ['+ line'], { form: 'custom' }),
    finish: { reason: 'tool-calls' },
    answers: {
      'chat-completions': choice(
        { tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'f', input: '+ line' } }] },
        'tool_calls',
      ),
      responses: output({
        id: 'ctc_2',
        type: 'custom_tool_call',
        call_id: 'call_1',
        name: 'f',
        input: '+ line',
      }),
      messages: {
        ...blocks(
          [
            {
              type: 'tool_use',
              id: 'call_1',
              name: 'f',
              input: { input: '+ line' },
              caller: { type: 'direct' },
            },
          ],
          'tool_use',
        ),
        reads: { parts: call('call_1', ['{"input":"+ line"}']) },
      },
      'generate-content': {
        ...candidate(
          [{ functionCall: { id: 'call_1', name: 'f', args: { input: '+ line' } } }],
          'STOP',
        ),
        reads: { parts: call('call_1', ['{"input":"+ line"}']) },
      },
    },
  },
  'a refusal': {
    parts: part({ type: 'refusal' }, ['No.']),
    finish: { reason: 'content-filter' },
    answers: {
      'chat-completions': choice({ refusal: 'No.' }, 'content_filter'),
      responses: message({ type: 'refusal', refusal: 'No.' }),
      messages: {
        ...blocks([{ type: 'text', text: 'No.' }], 'refusal', {
          stop_details: { type: 'refusal', category: null, explanation: 'No.' },
        }),
        reads: { parts: text('No.'), finish: { reason: 'content-filter', explanation: 'No.' } },
      },
      'generate-content': {
        answer: {
          index: 0,
          content: { role: 'model' },
          finishReason: 'SAFETY',
          finishMessage: 'No.',
        },
        reads: { parts: [], finish: { reason: 'content-filter', explanation: 'No.' } },
      },
    },
  },
  'a source': {
    parts: annotated(annotation),
    finish: { reason: 'stop' },
    answers: {
      'chat-completions': choice(
        {
          content: 'Rain',
          annotations: [
            {
              type: 'url_citation',
              url_citation: {
                url: 'https://a.example/',
                title: 'A',
                start_index: 0,
                end_index: 4,
              },
            },
          ],
        },
        'stop',
      ),
      responses: message(
        words({
          annotations: [
            {
              type: 'url_citation',
              url: 'https://a.example/',
              title: 'A',
              start_index: 0,
              end_index: 4,
            },
          ],
        }),
      ),
      messages: {
        ...blocks(
          [
            {
              ...rain,
              citations: [
                {
                  type: 'web_search_result_location',
                  cited_text: '',
                  encrypted_index: 'gw1.s.Z2F0ZXdheQ.',
                  title: 'A',
                  url: 'https://a.example/',
                },
              ],
            },
          ],
          'end_turn',
        ),
        reads: {
          parts: annotated({ ...annotation, start: undefined, end: undefined, citedText: '' }),
        },
      },
      'generate-content': candidate([{ text: 'Rain' }], 'STOP', {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://a.example/', title: 'A' } }],
          groundingSupports: [
            {
              segment: { startIndex: 0, endIndex: 4, text: 'Rain' },
              groundingChunkIndices: [0],
            },
          ],
        },
      }),
    },
  },
  'log probabilities': {
    parts: weighed(logprob),
    finish: { reason: 'stop' },
    answers: {
      'chat-completions': choice({ content: 'Rain' }, 'stop', {
        content: [
          {
            token: 'Rain',
            logprob: -0.5,
            bytes: [82],
            top_logprobs: [{ token: 'Sun', logprob: -1.5, bytes: [83] }],
          },
        ],
        refusal: null,
      }),
      responses: message(
        words({
          logprobs: [
            {
              token: 'Rain',
              logprob: -0.5,
              bytes: [82],
              top_logprobs: [{ token: 'Sun', logprob: -1.5, bytes: [83] }],
            },
          ],
        }),
      ),
      messages: { ...blocks([rain], 'end_turn'), reads: { parts: text('Rain') } },
      'generate-content': {
        ...candidate([{ text: 'Rain' }], 'STOP', {
          logprobsResult: {
            chosenCandidates: [{ token: 'Rain', logProbability: -0.5 }],
            topCandidates: [{ candidates: [{ token: 'Sun', logProbability: -1.5 }] }],
          },
        }),
        reads: { parts: weighed(barelogprob) },
      },
    },
  },
  'an end at a stop sequence': {
    parts: text('Rain'),
    finish: { reason: 'stop-sequence', stopSequence: 'END' },
    answers: {
      'chat-completions': readAs(choice({ content: 'Rain' }, 'stop'), 'stop'),
      responses: readAs(message(words()), 'stop'),
      messages: blocks([rain], 'stop_sequence', { stop_sequence: 'END' }),
      'generate-content': readAs(candidate([{ text: 'Rain' }], 'STOP'), 'stop'),
    },
  },
  'an end at the token limit': {
    parts: text('Rain'),
    finish: { reason: 'length' },
    answers: {
      'chat-completions': choice({ content: 'Rain' }, 'length'),
      responses: message(words(), { status: 'incomplete', reason: 'max_output_tokens' }),
      messages: blocks([rain], 'max_tokens'),
      'generate-content': candidate([{ text: 'Rain' }], 'MAX_TOKENS'),
    },
  },
  'an end by a content filter': {
    parts: text('Rain'),
    finish: { reason: 'content-filter' },
    answers: {
      'chat-completions': choice({ content: 'Rain' }, 'content_filter'),
      responses: message(words(), { status: 'incomplete', reason: 'content_filter' }),
      messages: blocks([rain], 'refusal', {
        stop_details: { type: 'refusal', category: null, explanation: null },
      }),
      'generate-content': candidate([{ text: 'Rain' }], 'SAFETY'),
    },
  },
  'a pause': {
    parts: text('Rain'),
    finish: { reason: 'pause' },
    answers: {
      'chat-completions': readAs(choice({ content: 'Rain' }, 'stop'), 'stop'),
      responses: readAs(message(words()), 'stop'),
      messages: blocks([rain], 'pause_turn'),
      'generate-content': readAs(candidate([{ text: 'Rain' }], 'STOP'), 'stop'),
    },
  },
  'an unknown finish reason': {
    parts: text('Rain'),
    finish: { reason: 'other' },
    answers: {
      'chat-completions': readAs(choice({ content: 'Rain' }, 'stop'), 'stop'),
      responses: readAs(message(words()), 'stop'),
      messages: readAs(blocks([rain], 'end_turn'), 'stop'),
      'generate-content': candidate([{ text: 'Rain' }], 'OTHER'),
    },
  },
}
