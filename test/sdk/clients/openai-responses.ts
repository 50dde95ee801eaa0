import OpenAI from 'openai'
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseOutputItem,
} from 'openai/resources/responses/responses'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { responses } from '../../support/protocols/responses.ts'
import {
  type Ear,
  forecastSchema,
  type Heard,
  outputTokensMax,
  type Question,
  type Sdk,
  toolWords,
  weatherSchema,
} from '../sdk.ts'
import { openaiErrors } from './openai-errors.ts'

/** `openai`: responses.create, and the helper `responses.stream()`. */
export const openaiResponses: Sdk = {
  name: 'openai responses',
  protocol: 'responses',
  finishes: {
    stop: 'completed',
    cutShort: 'incomplete max_output_tokens',
    calls: 'completed',
    refusal: 'completed',
  },
  tellsRefusals: true,
  usage: responses.usage,
  ...openaiErrors,
  connect: (url, key) => {
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 })
    return {
      ask: (question) => ask(client, question, firstInput(question)),
      stream: (question, ear = {}) => stream(client, question, firstInput(question), ear),
    }
  },
}

function firstInput({ prompt, image }: Question): ResponseInput {
  if (!image) return [{ role: 'user', content: prompt }]
  const url = `data:${image.mime};base64,${image.data}`
  const shown = { type: 'input_image' as const, image_url: url, detail: 'auto' as const }
  return [{ role: 'user', content: [{ type: 'input_text', text: prompt }, shown] }]
}

type Body = Omit<ResponseCreateParamsNonStreaming, 'stream'>

const choices = {
  auto: 'auto',
  must: 'required',
  never: 'none',
  get_weather: { type: 'function', name: toolWords.name },
} as const

/** Nothing is stored, as for coding agents: the client keeps the reasoning. */
function bodyOf(question: Question, input: ResponseInput): Body {
  const { model, system, hasTools, choice, hasSchema, thinks } = question
  const tool = { type: 'function' as const, ...toolWords, parameters: weatherSchema, strict: true }
  const format = { type: 'json_schema' as const, name: 'forecast', schema: forecastSchema }
  return {
    model,
    input,
    max_output_tokens: outputTokensMax,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(system ? { instructions: system } : {}),
    ...(hasTools ? { tools: [tool] } : {}),
    ...(choice ? { tool_choice: choices[choice] } : {}),
    ...(hasSchema ? { text: { format: { ...format, strict: true } } } : {}),
    ...(thinks ? { reasoning: { effort: 'low', summary: 'auto' } } : {}),
  }
}

async function ask(client: OpenAI, question: Question, input: ResponseInput): Promise<Heard> {
  const asked = client.responses.create(bodyOf(question, input))
  const { data, request_id } = await asked.withResponse()
  return hear(data, request_id ?? '', (more) => ask(client, question, [...input, ...more]))
}

async function stream(
  client: OpenAI,
  question: Question,
  input: ResponseInput,
  { onText, signal }: Ear,
): Promise<Heard> {
  const told = client.responses.stream(bodyOf(question, input), signal ? { signal } : {})
  if (onText) told.on('response.output_text.delta', ({ delta }) => onText(delta))
  const response = await told.finalResponse()
  // This version reports a failure without throwing.
  if (response.status === 'failed') throw new Error(response.error?.message ?? 'no reason given')
  if (response.status === 'in_progress') throw new Error('the stream ended early')
  return hear(response, '', (more) => stream(client, question, [...input, ...more], {}))
}

function hear(
  response: Response,
  requestId: string,
  askAgain: (more: ResponseInput) => Promise<Heard>,
): Heard {
  const { output, status, incomplete_details: details, usage } = response
  const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
  const said = output.map((item) => item as ResponseInput[number])
  return {
    text: response.output_text,
    thought: output.flatMap(thoughtsOf).join(''),
    refusal: output.flatMap(refusalsOf).join(''),
    calls: calls.map(({ name, arguments: text }) => {
      const input = parseJson(text)
      if (!isObject(input)) throw new Error(`not a JSON object: ${text}`)
      return { name, input }
    }),
    finish: details?.reason === undefined ? status : `${status} ${details.reason}`,
    usage,
    requestId,
    askMore: (prompt) => askAgain([...said, { role: 'user', content: prompt }]),
    goOn: (results) =>
      askAgain([
        ...said,
        ...calls.map(({ call_id }, index) => ({
          type: 'function_call_output' as const,
          call_id,
          output: results[index] ?? '',
        })),
      ]),
  }
}

function thoughtsOf(item: ResponseOutputItem): readonly string[] {
  if (item.type !== 'reasoning') return []
  return [...item.summary, ...(item.content ?? [])].map(({ text }) => text)
}

function refusalsOf(item: ResponseOutputItem): readonly string[] {
  if (item.type !== 'message') return []
  return item.content.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []))
}
