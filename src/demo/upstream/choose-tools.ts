import type { OfferedTool, Question } from './demo-protocol.ts'

const callsMax = 4
const anyToolPhrase = /\b(?:use|call|run|try)\s+(?:the|a|any|your|this|that)\s+tools?\b/iu
const wordPattern = /[\p{L}\p{N}]+/gu

// These verbs and fillers occur in most tool names and descriptions, so they do not show the topic of a prompt.
const stopWords = new Set(
  `about after answer before could every fetch find from have into list make other please retrieve
  return returns search should some tell text that their them there these this tool tools using
  value what when where which will with would your`.split(/\s+/u),
)

/** The tools that a prompt asks for: by full name, else by a word of the name, else by a word of the description. */
export function chooseTools(question: Question, prompt: string): readonly OfferedTool[] {
  const { mode, names } = question.toolChoice
  if (mode === 'none') return []
  const allowed = question.tools.filter((tool) => names === undefined || names.includes(tool.name))
  const asked = askedTools(allowed, prompt)
  const chosen = asked.length === 0 && mode === 'required' ? allowed.slice(0, 1) : asked
  return chosen.slice(0, question.parallelToolCalls ? callsMax : 1)
}

function askedTools(tools: readonly OfferedTool[], prompt: string): readonly OfferedTool[] {
  const promptText = ` ${wordsOf(prompt).join(' ')} `
  const named = tools.filter((tool) => promptText.includes(` ${wordsOf(tool.name).join(' ')} `))
  if (named.length > 0) return named

  const promptWords = new Set(wordsOf(prompt))
  const hinted = tools.filter((tool) => mentions(promptWords, tool.name, 4))
  if (hinted.length > 0) return hinted

  const described = tools.filter((tool) => mentions(promptWords, tool.description, 5))
  if (described.length > 0) return described.slice(0, 1)
  return anyToolPhrase.test(prompt) ? tools.slice(0, 1) : []
}

function mentions(promptWords: ReadonlySet<string>, text: string, lettersMin: number): boolean {
  return wordsOf(text).some(
    (word) => word.length >= lettersMin && !stopWords.has(word) && promptWords.has(word),
  )
}

// "get_weather", "get weather" and the camel-case form give the same words.
function wordsOf(text: string): readonly string[] {
  const spaced = text.replace(/_/gu, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  return (spaced.match(wordPattern) ?? []).map((word) => word.toLowerCase())
}
