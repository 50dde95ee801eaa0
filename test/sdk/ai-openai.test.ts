import { aiChat, aiCompatible, aiResponses } from './clients/ai-openai.ts'
import { describeSdk } from './describe-sdk.ts'

describeSdk(aiResponses)
describeSdk(aiChat)
describeSdk(aiCompatible)
