import type { ImageTokens } from './vendor.ts'
import { bareName } from './vendor.ts'

/**
 * The most tokens of one image, by the vendor's tables of tiles and patches. GPT-4o mini counts 2,833 and 5,667 for
 * each of up to 8 tiles. The other models up to 5.3 count 8 tiles of 170, or 1,536 patches times 2.46. Later models
 * read images at full size, up to 10,000 patches, some times 2.46.
 */
const table: readonly (readonly [RegExp, number])[] = [
  [/4o-mini/, 50_000],
  [/^(?:o\d|codex-mini|chatgpt-4o|gpt-[34]|gpt-5(?:\.[123])?(?![.\d]))/, 4_096],
]
const ofNewest = 25_000

/** The image tokens of an OpenAI model. */
export function gptImageTokens(model: string): ImageTokens {
  const name = bareName(model)
  const most = table.find(([pattern]) => pattern.test(name))?.[1] ?? ofNewest
  return { inBody: most, atAddress: most }
}
