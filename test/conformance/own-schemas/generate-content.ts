import { z } from 'zod'
import { anyObject, base64, count, jsonSchema, type ProtocolSchemas } from './protocol-schemas.ts'

const blob = z.strictObject({
  mimeType: z.string().regex(/^[\w.+-]+\/[\w.+-]+(?:;[\w.+=-]+)*$/),
  data: base64,
})
const fileData = z.strictObject({ mimeType: z.string().optional(), fileUri: z.string().min(1) })

/** A part has one kind of content; the reasoning flag and the signature may be beside it. */
const part = z
  .strictObject({
    text: z.string().optional(),
    inlineData: blob.optional(),
    fileData: fileData.optional(),
    functionCall: z
      .strictObject({
        id: z.string().optional(),
        name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/),
        args: anyObject.optional(),
      })
      .optional(),
    functionResponse: z
      .strictObject({
        id: z.string().optional(),
        name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/),
        response: anyObject,
        parts: z.array(z.strictObject({ inlineData: blob })).optional(),
      })
      .optional(),
    executableCode: anyObject.optional(),
    codeExecutionResult: anyObject.optional(),
    thought: z.boolean().optional(),
    /** Base64, or the word with which a client disables the check of signatures. */
    thoughtSignature: z.union([base64, z.literal('skip_thought_signature_validator')]).optional(),
    mediaResolution: anyObject.optional(),
    videoMetadata: anyObject.optional(),
  })
  .refine((value) => saying.filter((name) => value[name] !== undefined).length <= 1, {
    error: 'a part says more than one thing',
  })
const saying = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
] as const

const content = z.strictObject({
  role: z.enum(['user', 'model']).optional(),
  parts: z.array(part).min(1),
})

const tool = z.strictObject({
  functionDeclarations: z
    .array(
      z
        .strictObject({
          name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/),
          description: z.string().optional(),
          parameters: jsonSchema.optional(),
          parametersJsonSchema: jsonSchema.optional(),
          response: jsonSchema.optional(),
          responseJsonSchema: jsonSchema.optional(),
          behavior: z.string().optional(),
        })
        .refine((one) => !(one.parameters && one.parametersJsonSchema), {
          error: 'both parameters and parametersJsonSchema',
        }),
    )
    .optional(),
  googleSearch: anyObject.optional(),
  codeExecution: anyObject.optional(),
  urlContext: anyObject.optional(),
})

const generationConfig = z.strictObject({
  candidateCount: z.int().min(1).max(8).optional(),
  stopSequences: z.array(z.string()).max(5).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.int().min(1).optional(),
  seed: z.int().optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).optional(),
  responseSchema: jsonSchema.optional(),
  responseJsonSchema: jsonSchema.optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.int().min(0).max(20).optional(),
  responseModalities: z.array(z.enum(['TEXT', 'IMAGE', 'AUDIO'])).optional(),
  speechConfig: anyObject.optional(),
  imageConfig: anyObject.optional(),
  mediaResolution: z.string().optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().min(-1).optional(),
      thinkingLevel: z
        .enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'minimal', 'low', 'medium', 'high'])
        .optional(),
    })
    .optional(),
})

const request = z.strictObject({
  contents: z.array(content).min(1),
  systemInstruction: content.optional(),
  tools: z.array(tool).optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z
        .strictObject({
          mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']).optional(),
          allowedFunctionNames: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
  generationConfig: generationConfig.optional(),
  safetySettings: z
    .array(z.strictObject({ category: z.string(), threshold: z.string() }))
    .optional(),
  cachedContent: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
})

const rating = z.strictObject({
  category: z.string().startsWith('HARM_CATEGORY_'),
  probability: z.enum(['NEGLIGIBLE', 'LOW', 'MEDIUM', 'HIGH']),
  blocked: z.boolean().optional(),
})
const modalities = z
  .array(z.strictObject({ modality: z.string(), tokenCount: count.optional() }))
  .optional()
const usage = z.strictObject({
  promptTokenCount: count.optional(),
  cachedContentTokenCount: count.optional(),
  candidatesTokenCount: count.optional(),
  toolUsePromptTokenCount: count.optional(),
  thoughtsTokenCount: count.optional(),
  totalTokenCount: count,
  promptTokensDetails: modalities,
  cacheTokensDetails: modalities,
  candidatesTokensDetails: modalities,
  toolUsePromptTokensDetails: modalities,
  serviceTier: z.string().optional(),
})

const logprob = z.strictObject({
  token: z.string(),
  tokenId: z.int().optional(),
  logProbability: z.number().max(0),
})
const candidate = z.strictObject({
  index: count.optional(),
  content: z
    .strictObject({ role: z.literal('model').optional(), parts: z.array(part).optional() })
    .optional(),
  finishReason: z
    .enum([
      'STOP',
      'MAX_TOKENS',
      'SAFETY',
      'RECITATION',
      'LANGUAGE',
      'OTHER',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'SPII',
      'MALFORMED_FUNCTION_CALL',
      'UNEXPECTED_TOOL_CALL',
      'IMAGE_SAFETY',
    ])
    .optional(),
  finishMessage: z.string().optional(),
  safetyRatings: z.array(rating).optional(),
  citationMetadata: z
    .strictObject({
      citationSources: z.array(
        z.strictObject({
          startIndex: count.optional(),
          endIndex: count.optional(),
          uri: z.string().optional(),
          license: z.string().optional(),
        }),
      ),
    })
    .optional(),
  tokenCount: count.optional(),
  avgLogprobs: z.number().optional(),
  logprobsResult: z
    .strictObject({
      logProbabilitySum: z.number().optional(),
      chosenCandidates: z.array(logprob).optional(),
      topCandidates: z.array(z.strictObject({ candidates: z.array(logprob) })).optional(),
    })
    .optional(),
  groundingMetadata: z
    .strictObject({
      webSearchQueries: z.array(z.string()).optional(),
      searchEntryPoint: z.strictObject({ renderedContent: z.string().optional() }).optional(),
      groundingChunks: z
        .array(
          z.strictObject({
            web: z.strictObject({ uri: z.string(), title: z.string().optional() }),
          }),
        )
        .optional(),
      groundingSupports: z
        .array(
          z.strictObject({
            segment: z.strictObject({
              partIndex: count.optional(),
              startIndex: count.optional(),
              endIndex: count.optional(),
              text: z.string().optional(),
            }),
            groundingChunkIndices: z.array(count).optional(),
            confidenceScores: z.array(z.number()).optional(),
          }),
        )
        .optional(),
    })
    .optional(),
})

const response = z
  .strictObject({
    candidates: z.array(candidate).optional(),
    promptFeedback: z
      .strictObject({
        blockReason: z
          .enum(['SAFETY', 'OTHER', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'IMAGE_SAFETY'])
          .optional(),
        blockReasonMessage: z.string().optional(),
        safetyRatings: z.array(rating).optional(),
      })
      .optional(),
    usageMetadata: usage.optional(),
    modelVersion: z.string().optional(),
    responseId: z.string().optional(),
    modelStatus: anyObject.optional(),
  })
  .refine(
    (value) => (value.candidates ?? value.promptFeedback ?? value.usageMetadata) !== undefined,
    {
      error: 'neither candidates nor feedback nor usage',
    },
  )

const error = z.strictObject({
  error: z.strictObject({
    code: z.int().min(400).max(599),
    message: z.string().min(1),
    status: z.string().regex(/^[A-Z_]+$/),
    details: z.array(z.looseObject({ '@type': z.string() })).optional(),
  }),
})

const models = z.strictObject({
  models: z.array(
    z.looseObject({
      name: z.string().startsWith('models/'),
      displayName: z.string().optional(),
      inputTokenLimit: count.optional(),
      outputTokenLimit: count.optional(),
      supportedGenerationMethods: z.array(z.string()).optional(),
    }),
  ),
  nextPageToken: z.string().optional(),
})

export const generateContentSchemas: ProtocolSchemas = {
  request,
  response,
  event: z.union([response, error]),
  error,
  models,
  countRequest: z
    .strictObject({
      contents: z.array(content).optional(),
      generateContentRequest: request.extend({ model: z.string() }).optional(),
    })
    .refine(
      (value) => (value.contents === undefined) !== (value.generateContentRequest === undefined),
      {
        error: 'contents or generateContentRequest',
      },
    ),
  count: z.strictObject({
    totalTokens: count,
    cachedContentTokenCount: count.optional(),
    promptTokensDetails: modalities,
    cacheTokensDetails: modalities,
  }),
}
