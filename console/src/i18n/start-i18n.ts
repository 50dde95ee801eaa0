import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { en, Words } from './en.ts'

export const languages = { en: 'English', zh: '中文' } as const
export type Language = keyof typeof languages

const storageKey = 'tollgate-language'
const i18n = createInstance()

/** A reader needs one language, so each is a file of its own that is fetched when it is chosen. */
const readers: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import('./en.ts')).en,
  zh: async () => (await import('./zh.ts')).zh,
}

export async function startI18n(): Promise<void> {
  const language = firstLanguage()
  await i18n.use(initReactI18next).init({
    resources: { [language]: { translation: await readers[language]() } },
    lng: language,
    fallbackLng: false,
    keySeparator: false,
    nsSeparator: false,
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  })
  tellDocument(language)
}

function firstLanguage(): Language {
  const kept = localStorage.getItem(storageKey)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language)
  i18n.addResourceBundle(language, 'translation', await readers[language]())
  await i18n.changeLanguage(language)
  tellDocument(language)
}

/** Screen readers and the choice of Chinese glyphs go by the document's language. */
function tellDocument(language: string): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
}

declare module 'i18next' {
  interface CustomTypeOptions {
    keySeparator: false
    nsSeparator: false
    resources: { translation: typeof en }
  }
}
