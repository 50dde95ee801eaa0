import { openaiResponses } from './clients/openai-responses.ts'
import { describeSdk } from './describe-sdk.ts'

describeSdk(openaiResponses)
