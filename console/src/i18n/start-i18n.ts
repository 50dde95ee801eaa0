import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { groupDigits } from '../format/dollars.ts'
import type { en, Words } from './en.ts'
import type { enLate, LateWords } from './en-late.ts'

export const languages = { en: 'English', zh: '中文' } as const
export type ConsoleLanguage = keyof typeof languages

const storageKey = 'tollgate-language'
const i18n = createInstance()

/** Each language is loaded only when it is chosen. */
const readers: Readonly<Record<ConsoleLanguage, () => Promise<Words>>> = {
  en: async () => (await import('./en.ts')).en,
  zh: async () => (await import('./zh.ts')).zh,
}
const lateReaders: Readonly<Record<ConsoleLanguage, () => Promise<LateWords>>> = {
  en: async () => (await import('./en-late.ts')).enLate,
  zh: async () => (await import('./zh-late.ts')).zhLate,
}

let language: ConsoleLanguage = 'en'
let isLateNeeded = false

export async function startI18n(): Promise<void> {
  language = firstLanguage()
  await i18n.use(initReactI18next).init({
    resources: { [language]: { translation: await readers[language]() } },
    lng: language,
    fallbackLng: false,
    keySeparator: false,
    nsSeparator: false,
    // React escapes already.
    interpolation: { escapeValue: false },
  })
  i18n.services.formatter?.add('dollars', (amount) => groupDigits(String(amount)))
  tellDocument()
}

function firstLanguage(): ConsoleLanguage {
  const kept = localStorage.getItem(storageKey)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export async function chooseLanguage(chosen: ConsoleLanguage): Promise<void> {
  localStorage.setItem(storageKey, chosen)
  i18n.addResourceBundle(chosen, 'translation', await readers[chosen]())
  language = chosen
  if (isLateNeeded) await needLateWords()
  await i18n.changeLanguage(chosen)
  tellDocument()
}

/** Loads the texts that most visits do not need. If loading fails, codes are shown instead. */
export async function needLateWords(): Promise<void> {
  isLateNeeded = true
  const words = await lateReaders[language]().catch(() => ({}))
  i18n.addResourceBundle(language, 'translation', words)
}

export function closeWord(): string {
  return i18n.t('close')
}

/** Screen readers and the choice of Chinese glyphs depend on the document's language. */
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
