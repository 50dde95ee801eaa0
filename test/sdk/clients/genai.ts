import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
} from '@google/genai'
import { isObject } from '../../../src/wire/json.ts'
import { generateContent } from '../../support/protocols/generate-content.ts'
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

/** `@google/genai`: generateContent and generateContentStream. */
export const genai: Sdk = {
  name: '@google/genai',
  protocol: 'generate-content',
  finishes: { stop: 'STOP', cutShort: 'MAX_TOKENS', calls: 'STOP', refusal: 'SAFETY' },
  // The SDK itself omits `finishMessage` for this API.
  tellsRefusals: false,
  usage: generateContent.usage,
  errorClass: () => ApiError,
  readError: (error) => {
    if (!(error instanceof ApiError)) throw new Error('not an error of the SDK', { cause: error })
    return { status: error.status, message: error.message, requestId: undefined }
  },
  connect: (url, key) => {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })
    return {
      ask: (question) => ask(client, question, firstContents(question)),
      stream: (question, ear = {}) => stream(client, question, firstContents(question), ear),
    }
  },
}

function firstContents({ prompt, image }: Question): Content[] {
  const shown = image && { inlineData: { mimeType: image.mime, data: image.data } }
  return [{ role: 'user', parts: [...(shown ? [shown] : []), { text: prompt }] }]
}

const { AUTO, ANY, NONE } = FunctionCallingConfigMode
const choices = {
  auto: { mode: AUTO },
  must: { mode: ANY },
  never: { mode: NONE },
  get_weather: { mode: ANY, allowedFunctionNames: [toolWords.name] },
}

function bodyOf(question: Question, contents: Content[], signal?: AbortSignal) {
  const { model, system, hasTools, choice, hasSchema, thinks } = question
  const declared = { ...toolWords, parametersJsonSchema: weatherSchema }
  const wanted = { responseMimeType: 'application/json', responseJsonSchema: forecastSchema }
  return {
    model,
    contents,
    config: {
      maxOutputTokens: outputTokensMax,
      ...(system ? { systemInstruction: system } : {}),
      ...(hasTools ? { tools: [{ functionDeclarations: [declared] }] } : {}),
      ...(choice ? { toolConfig: { functionCallingConfig: choices[choice] } } : {}),
      ...(hasSchema ? wanted : {}),
      ...(thinks ? { thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } } : {}),
      ...(signal ? { abortSignal: signal } : {}),
    },
  }
}

async function ask(client: GoogleGenAI, question: Question, contents: Content[]): Promise<Heard> {
  const response = await client.models.generateContent(bodyOf(question, contents))
  return hear([response], (more) => ask(client, question, [...contents, ...more]))
}

async function stream(
  client: GoogleGenAI,
  question: Question,
  contents: Content[],
  { onText, signal }: Ear,
): Promise<Heard> {
  const told = await client.models.generateContentStream(bodyOf(question, contents, signal))
  const chunks: GenerateContentResponse[] = []
  for await (const chunk of told) {
    chunks.push(chunk)
    onText?.(textsOf([chunk], false).join(''))
  }
  const isEnded = chunks.some(({ candidates }) => candidates?.[0]?.finishReason)
  if (!isEnded) throw new Error('the stream ended early')
  return hear(chunks, (more) => stream(client, question, [...contents, ...more], {}))
}

/** A reply without streaming is a stream of one chunk. */
function hear(
  chunks: readonly GenerateContentResponse[],
  askAgain: (more: Content[]) => Promise<Heard>,
): Heard {
  const candidates = chunks.flatMap((chunk) => chunk.candidates ?? [])
  const parts = candidates.flatMap(({ content }) => content?.parts ?? [])
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
  const last = candidates.findLast(({ finishReason }) => finishReason !== undefined)
  const headers = chunks.at(-1)?.sdkHttpResponse?.headers
  return {
    text: textsOf(chunks, false).join(''),
    thought: textsOf(chunks, true).join(''),
    refusal: last?.finishMessage ?? '',
    calls: calls.map(({ name = '', args }) => {
      if (!isObject(args)) throw new Error('the arguments are not an object')
      return { name, input: args }
    }),
    finish: last?.finishReason,
    usage: chunks.at(-1)?.usageMetadata,
    requestId: headers?.['x-request-id'] ?? '',
    askMore: (prompt) =>
      askAgain([
        { role: 'model', parts },
        { role: 'user', parts: [{ text: prompt }] },
      ]),
    goOn: (results) =>
      askAgain([
        { role: 'model', parts },
        {
          role: 'user',
          parts: calls.map((call, index) => ({
            functionResponse: {
              ...(call.id === undefined ? {} : { id: call.id }),
              name: call.name ?? '',
              response: { result: results[index] },
            },
          })),
        },
      ]),
  }
}

function textsOf(chunks: readonly GenerateContentResponse[], isThought: boolean): string[] {
  return chunks
    .flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
    .filter(({ thought = false }) => thought === isThought)
    .map(({ text = '' }) => text)
}
