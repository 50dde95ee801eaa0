import { z } from 'zod'
import { outputLimitNames, type ParameterPolicy } from '../../core/upstreams/parameter-policy.ts'
import {
  fieldPattern,
  findPolicyProblem,
  headerPattern,
  headerTextPattern,
  type PolicyReason,
} from '../../core/upstreams/parameter-rules.ts'
import { maybe } from '../../fields/definition.ts'
import { enumKind, kindOf } from '../../fields/kind.ts'
import { type ObjectKind, objectKind } from '../../fields/object-kind.ts'
import { outsideSchema, problemMessage } from '../../fields/problems.ts'

const by = 'operator'

const text = z.string({ error: problemMessage('text_wrong') })
/** The API description shows this pattern; the check of the whole policy enforces the rule. */
const fieldName = text.meta({ pattern: fieldPattern.source })
const headerName = text.meta({ pattern: headerPattern.source })
const headerText = text.meta({ pattern: headerTextPattern.source })
const bound = z.number({ error: problemMessage('bound_wrong') }).nullable()

function tableOf<Value>(value: z.ZodType<Value, Value>, name = fieldName) {
  return z.record(name, value, { error: problemMessage('fields_wrong') })
}

export const outputLimitKind = enumKind(outputLimitNames)

const members = objectKind({
  rename: maybe(kindOf('object', tableOf(fieldName)), {
    about: 'New names of fields, by current name.',
    by,
  }),
  drop: maybe(kindOf('list', z.array(fieldName, { error: problemMessage('list_wrong') })), {
    about: 'Fields to remove.',
    by,
  }),
  clamp: maybe(
    kindOf('object', tableOf(z.tuple([bound, bound], { error: problemMessage('bounds_wrong') }))),
    {
      about: 'Minimum and maximum, by field; null: no limit on that side.',
      by,
    },
  ),
  default: maybe(kindOf('object', tableOf(z.unknown())), {
    about: 'Values for fields that the request lacks, by field.',
    by,
  }),
  outputLimit: maybe(outputLimitKind, {
    about: 'The field in which a chat-completions server expects the output token limit.',
    by,
  }),
  headers: maybe(kindOf('object', tableOf(headerText, headerName)), {
    about: 'Headers to send with each request.',
    by,
    isUnquoted: true,
  }),
}) as unknown as ObjectKind<ParameterPolicy>

/** The changes that the gateway makes to requests; see ParameterPolicy. */
export const policyKind: ObjectKind<ParameterPolicy> = {
  ...members,
  wire: checked(members.wire),
  written: checked(members.written),
}

function checked(schema: z.ZodType<ParameterPolicy>): z.ZodType<ParameterPolicy, ParameterPolicy> {
  const policy = schema as z.ZodType<ParameterPolicy, ParameterPolicy>
  const allowed = policy.superRefine((given, context) => {
    const problem = findPolicyProblem(given)
    if (!problem) return
    const { path, why, field } = problem
    const message = problemMessage(`policy_${why}`, field === undefined ? undefined : { field })
    const params = isInSchema(why) ? {} : outsideSchema
    context.addIssue({ code: 'custom', path: [...path], message, params })
  })
  return z.codec(allowed, z.custom<ParameterPolicy>(), {
    decode: inLowerCase,
    encode: (given) => given,
  })
}

/** Whether a pattern above already describes the rule in the API description. */
function isInSchema(why: PolicyReason): boolean {
  return why === 'field' || why === 'header' || why === 'header_text'
}

/** Header names are case-insensitive. */
function inLowerCase(policy: ParameterPolicy): ParameterPolicy {
  if (!policy.headers) return policy
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(policy.headers)) headers[name.toLowerCase()] = value
  return { ...policy, headers }
}
