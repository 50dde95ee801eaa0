import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from './en.ts'
import { zh } from './zh.ts'

export const languages = { en: 'English', zh: '中文' } as const
export type Language = keyof typeof languages

const storageKey = 'tollgate-language'

const i18n = createInstance()
void i18n.use(initReactI18next).init({
  resources: { en: { translation: en }, zh: { translation: zh } },
  lng: firstLanguage(),
  fallbackLng: 'en',
  keySeparator: false,
  nsSeparator: false,
  initAsync: false,
  // React escapes what it shows.
  interpolation: { escapeValue: false },
})
tellDocument(i18n.language)

function firstLanguage(): Language {
  const kept = localStorage.getItem(storageKey)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language)
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
