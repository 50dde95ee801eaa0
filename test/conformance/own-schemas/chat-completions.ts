import { z } from 'zod'
import {
  anyObject,
  base64,
  count,
  dataUrl,
  jsonSchema,
  metadata,
  type ProtocolSchemas,
  toolName,
  webUrl,
} from './protocol-schemas.ts'

/** Vendors with explicit caching accept this member in a part. */
const cacheMark = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h']).optional(),
})
const textPart = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cacheMark.optional(),
})

const userPart = z.discriminatedUnion('type', [
  textPart,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({
      url: z.union([dataUrl, webUrl]),
      detail: z.enum(['auto', 'low', 'high', 'original']).optional(),
    }),
    cache_control: cacheMark.optional(),
  }),
  z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.strictObject({ data: base64, format: z.enum(['wav', 'mp3']) }),
  }),
  z.strictObject({
    type: z.literal('file'),
    file: z.union([
      z.strictObject({ file_id: z.string() }),
      z.strictObject({ filename: z.string().optional(), file_data: dataUrl }),
    ]),
    cache_control: cacheMark.optional(),
  }),
])

const functionCall = z.strictObject({ name: z.string().min(1), arguments: z.string() })
/** Google's endpoint for this protocol puts its signature here. */
const extraContent = z.strictObject({
  google: z.strictObject({ thought_signature: z.string() }),
})
const toolCall = z.discriminatedUnion('type', [
  z.strictObject({
    id: z.string().min(1),
    type: z.literal('function'),
    function: functionCall,
    extra_content: extraContent.optional(),
  }),
  z.strictObject({
    id: z.string().min(1),
    type: z.literal('custom'),
    custom: z.strictObject({ name: z.string().min(1), input: z.string() }),
  }),
])

/** Members that vendors other than OpenAI add to a message with reasoning. */
const reasoningMembers = {
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  extra_content: extraContent.optional(),
  reasoning_details: z.array(z.looseObject({ type: z.string() })).optional(),
}

const message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.enum(['system', 'developer']),
    content: z.union([z.string(), z.array(textPart)]),
    name: z.string().optional(),
  }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(userPart).min(1)]),
    name: z.string().optional(),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z
      .union([
        z.string(),
        z.array(
          z.union([textPart, z.strictObject({ type: z.literal('refusal'), refusal: z.string() })]),
        ),
      ])
      .nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
    audio: z.strictObject({ id: z.string() }).nullish(),
    name: z.string().optional(),
    ...reasoningMembers,
  }),
  z.strictObject({
    role: z.literal('tool'),
    tool_call_id: z.string().min(1),
    content: z.union([z.string(), z.array(textPart)]),
  }),
])

const tool = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    function: z.strictObject({
      name: toolName,
      description: z.string().optional(),
      parameters: jsonSchema.optional(),
      strict: z.boolean().nullish(),
    }),
    cache_control: cacheMark.optional(),
  }),
  z.strictObject({
    type: z.literal('custom'),
    custom: z.strictObject({
      name: toolName,
      description: z.string().optional(),
      format: anyObject.optional(),
    }),
  }),
])

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({
    type: z.literal('function'),
    function: z.strictObject({ name: z.string() }),
  }),
  z.strictObject({ type: z.literal('custom'), custom: z.strictObject({ name: z.string() }) }),
  z.strictObject({
    type: z.literal('allowed_tools'),
    allowed_tools: z.strictObject({
      mode: z.enum(['auto', 'required']),
      tools: z.array(anyObject),
    }),
  }),
])

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: toolName,
      description: z.string().optional(),
      schema: jsonSchema.optional(),
      strict: z.boolean().nullish(),
    }),
  }),
])

const penalty = z.number().min(-2).max(2).nullish()

const request = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  max_completion_tokens: z.int().min(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  /** For vendors that support it. */
  top_k: z.int().optional(),
  n: z.int().min(1).max(128).nullish(),
  stop: z.union([z.string(), z.array(z.string()).min(1).max(4)]).nullish(),
  seed: z.int().nullish(),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().optional(),
      include_obfuscation: z.boolean().optional(),
    })
    .nullish(),
  tools: z.array(tool).min(1).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: responseFormat.optional(),
  /** For routers, which translate it for each vendor. */
  reasoning: anyObject.optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  modalities: z.array(z.enum(['text', 'audio'])).nullish(),
  audio: z.strictObject({ voice: z.string(), format: z.string() }).nullish(),
  prediction: anyObject.nullish(),
  web_search_options: anyObject.optional(),
  service_tier: z.string().nullish(),
  store: z.boolean().nullish(),
  metadata: metadata.nullish(),
  user: z.string().optional(),
  safety_identifier: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  prompt_cache_retention: z.string().optional(),
})

const usage = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z
    .strictObject({
      cached_tokens: count.optional(),
      audio_tokens: count.optional(),
      cache_write_tokens: count.optional(),
    })
    .optional(),
  completion_tokens_details: z
    .strictObject({
      reasoning_tokens: count.optional(),
      audio_tokens: count.optional(),
      accepted_prediction_tokens: count.optional(),
      rejected_prediction_tokens: count.optional(),
    })
    .optional(),
})

const tokenLogprob = z.strictObject({
  token: z.string(),
  logprob: z.number().max(0),
  bytes: z.array(z.int().min(0).max(255)).nullable(),
  top_logprobs: z.array(
    z.strictObject({
      token: z.string(),
      logprob: z.number().max(0),
      bytes: z.array(z.int().min(0).max(255)).nullable(),
    }),
  ),
})
const logprobs = z
  .strictObject({
    content: z.array(tokenLogprob).nullable(),
    refusal: z.array(tokenLogprob).nullable().optional(),
  })
  .nullish()

const annotation = z.strictObject({
  type: z.literal('url_citation'),
  url_citation: z.strictObject({
    url: z.string(),
    title: z.string(),
    start_index: count,
    end_index: count,
  }),
})
const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])
/** Images that a model generates, as routers send them. */
const images = z.array(anyObject).optional()

const envelope = {
  id: z.string().min(1),
  created: count,
  model: z.string(),
  service_tier: z.string().nullish(),
  system_fingerprint: z.string().nullish(),
}

const response = z.strictObject({
  ...envelope,
  object: z.literal('chat.completion'),
  choices: z
    .array(
      z.strictObject({
        index: count,
        message: z.strictObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullish(),
          tool_calls: z.array(toolCall).min(1).optional(),
          annotations: z.array(annotation).optional(),
          audio: z
            .strictObject({
              id: z.string(),
              data: base64,
              expires_at: count,
              transcript: z.string(),
            })
            .nullish(),
          images,
          ...reasoningMembers,
        }),
        logprobs,
        finish_reason: finishReason,
      }),
    )
    .min(1),
  usage: usage.optional(),
})

const callDelta = z.strictObject({
  index: count,
  id: z.string().min(1).optional(),
  type: z.enum(['function', 'custom']).optional(),
  function: z
    .strictObject({ name: z.string().optional(), arguments: z.string().optional() })
    .optional(),
  custom: z.strictObject({ name: z.string().optional(), input: z.string().optional() }).optional(),
  extra_content: extraContent.optional(),
})

const chunk = z.strictObject({
  ...envelope,
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    z.strictObject({
      index: count,
      delta: z.strictObject({
        role: z.literal('assistant').optional(),
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        tool_calls: z.array(callDelta).min(1).optional(),
        annotations: z.array(annotation).optional(),
        audio: z
          .strictObject({
            id: z.string().optional(),
            data: base64.optional(),
            expires_at: count.optional(),
            transcript: z.string().optional(),
          })
          .optional(),
        images,
        ...reasoningMembers,
      }),
      logprobs,
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usage.nullish(),
  /** Random text that hides the length of a piece. */
  obfuscation: z.string().optional(),
})

const error = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
    /** The gateway's own code. */
    reason: z.string().optional(),
  }),
})

const models = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      id: z.string().min(1),
      object: z.literal('model'),
      created: count,
      owned_by: z.string(),
    }),
  ),
})

export const chatCompletionsSchemas: ProtocolSchemas = {
  request,
  response,
  event: chunk,
  error,
  models,
}
