import { z } from 'zod'
import { outputLimitNames, type ParameterPolicy } from '../core/parameter-policy.ts'
import { findPolicyProblem } from '../core/parameter-rules.ts'
import { entry, wordField } from './entry-fields.ts'

const textField = z.string({ error: 'must be text; put it in quotes' })
const numberField = z.number({ error: 'must be a number' })
const boundField = z.union([numberField, z.null()], { error: 'must be a number, or null for none' })

const boundsMust = 'must be the least and the most, such as [0, 1]'

const written = entry({
  rename: recordOf(textField),
  drop: z.array(textField, { error: 'must be a list of fields' }).optional(),
  clamp: recordOf(z.tuple([boundField, boundField], { error: boundsMust })),
  default: recordOf(z.unknown()),
  outputLimit: wordField(outputLimitNames).optional(),
  headers: recordOf(textField),
})

/** What is changed in requests on their way; see ParameterPolicy. */
export const policyField: z.ZodType<ParameterPolicy> = written.transform((input, context) => {
  const policy = policyOf(input)
  const problem = findPolicyProblem(policy)
  if (!problem) return inLowerCase(policy)
  context.addIssue({ code: 'custom', path: [...problem.path], message: problem.why })
  return z.NEVER
})

function recordOf<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value, { error: 'must be a mapping of fields' }).optional()
}

/** Without what was left out. */
function policyOf(input: z.infer<typeof written>): ParameterPolicy {
  const { rename, drop, clamp, outputLimit, headers } = input
  return {
    ...(rename && { rename }),
    ...(drop && { drop }),
    ...(clamp && { clamp }),
    ...(input.default && { default: input.default }),
    ...(outputLimit && { outputLimit }),
    ...(headers && { headers }),
  }
}

/** Names of headers are the same in upper and lower case. */
function inLowerCase(policy: ParameterPolicy): ParameterPolicy {
  if (!policy.headers) return policy
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(policy.headers)) headers[name.toLowerCase()] = value
  return { ...policy, headers }
}
