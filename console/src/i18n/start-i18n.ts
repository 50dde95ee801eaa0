import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { en, Words } from './en.ts'
import type { enLate, LateWords } from './en-late.ts'

export const languages = { en: 'English', zh: '中文' } as const
export type Language = keyof typeof languages

const storageKey = 'tollgate-language'
const i18n = createInstance()

/** A reader needs one language, so each is a file of its own that is fetched when it is chosen. */
const readers: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import('./en.ts')).en,
  zh: async () => (await import('./zh.ts')).zh,
}
const lateReaders: Readonly<Record<Language, () => Promise<LateWords>>> = {
  en: async () => (await import('./en-late.ts')).enLate,
  zh: async () => (await import('./zh-late.ts')).zhLate,
}

let language: Language = 'en'
let isLateNeeded = false

export async function startI18n(): Promise<void> {
  language = firstLanguage()
  await i18n.use(initReactI18next).init({
    resources: { [language]: { translation: await readers[language]() } },
    lng: language,
    fallbackLng: false,
    keySeparator: false,
    nsSeparator: false,
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  })
  tellDocument()
}

function firstLanguage(): Language {
  const kept = localStorage.getItem(storageKey)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(storageKey, chosen)
  i18n.addResourceBundle(chosen, 'translation', await readers[chosen]())
  language = chosen
  if (isLateNeeded) await needLateWords()
  await i18n.changeLanguage(chosen)
  tellDocument()
}

/** Fetches the words that most visits do without. Who cannot get them goes on: codes are then shown as they are. */
export async function needLateWords(): Promise<void> {
  isLateNeeded = true
  const words = await lateReaders[language]().catch(() => ({}))
  i18n.addResourceBundle(language, 'translation', words)
}

/** For what is shown outside of any component. */
export function closeWord(): string {
  return i18n.t('close')
}

/** Screen readers and the choice of Chinese glyphs go by the document's language. */
function tellDocument(): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
}

declare module 'i18next' {
  interface CustomTypeOptions {
    keySeparator: false
    nsSeparator: false
    resources: { translation: typeof en & typeof enLate }
  }
}
