/** Picks one word of the prompt as an argument: the last name-like word, else the last longer word. */
export function pickWord(prompt: string, toolName: string): string {
  const words = prompt.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? []
  const others = words.filter((word) => !toolName.toLowerCase().includes(word.toLowerCase()))
  // The first word of a prompt is capitalised without being a name.
  const name = others.slice(1).findLast((word) => /^\p{Lu}\p{Ll}/u.test(word))
  return name ?? others.findLast((word) => word.length > 3) ?? others.at(-1) ?? 'demo'
}
