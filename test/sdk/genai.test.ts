import { genai } from './clients/genai.ts'
import { describeSdk } from './describe-sdk.ts'

describeSdk(genai)
