import { z } from 'zod'
import { outputLimitNames, type ParameterPolicy } from '../../core/parameter-policy.ts'
import { findPolicyProblem } from '../../core/parameter-rules.ts'
import { maybe } from '../../fields/definition.ts'
import { kindOf, wordKind } from '../../fields/kind.ts'
import { type ObjectKind, objectKind } from '../../fields/object-kind.ts'
import { says } from '../../fields/problems.ts'

const by = 'operator'

const text = z.string({ error: says('text_wrong') })
const bound = z.number({ error: says('bound_wrong') }).nullable()

function tableOf<Value>(value: z.ZodType<Value, Value>) {
  return z.record(z.string(), value, { error: says('fields_wrong') })
}

const members = objectKind({
  rename: maybe(kindOf('object', tableOf(text)), {
    about: 'By the name of a field: the one it gets.',
    by,
  }),
  drop: maybe(kindOf('list', z.array(text, { error: says('list_wrong') })), {
    about: 'Fields that are left out.',
    by,
  }),
  clamp: maybe(
    kindOf('object', tableOf(z.tuple([bound, bound], { error: says('bounds_wrong') }))),
    {
      about: 'By the name of a field: the least and the most; null leaves that side open.',
      by,
    },
  ),
  default: maybe(kindOf('object', tableOf(z.unknown())), {
    about: 'By the name of a field: what it is when the request does not have it.',
    by,
  }),
  outputLimit: maybe(wordKind(outputLimitNames), {
    about: 'The name under which a chat-completions server takes the limit of an answer.',
    by,
  }),
  headers: maybe(kindOf('object', tableOf(text)), { about: 'Sent with each request.', by }),
})

/** What is changed in requests on their way; see ParameterPolicy. */
export const policyKind: ObjectKind<ParameterPolicy> = {
  entry: 'object',
  fields: members.fields,
  wire: checked(members.wire as z.ZodType),
  written: checked(members.written as z.ZodType),
}

function checked(schema: z.ZodType): z.ZodType<ParameterPolicy, ParameterPolicy> {
  const policy = schema as z.ZodType<ParameterPolicy, ParameterPolicy>
  const allowed = policy.superRefine((given, context) => {
    const problem = findPolicyProblem(given)
    if (!problem) return
    const { path, why, field } = problem
    const message = says(`policy_${why}`, field === undefined ? undefined : { field })
    context.addIssue({ code: 'custom', path: [...path], message })
  })
  return z.codec(allowed, z.custom<ParameterPolicy>(), {
    decode: inLowerCase,
    encode: (given) => given,
  })
}

/** Names of headers are the same in upper and lower case. */
function inLowerCase(policy: ParameterPolicy): ParameterPolicy {
  if (!policy.headers) return policy
  const headers = Object.entries(policy.headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...policy, headers: Object.fromEntries(headers) }
}
