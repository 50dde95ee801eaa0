import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { groupDigits } from '../format/dollars.ts'
import type { en, Texts } from './en.ts'
import type { enLazy, LazyTexts } from './en-lazy.ts'

export const languages = { en: 'English', zh: '中文' } as const
export type ConsoleLanguage = keyof typeof languages

const storageKey = 'tollgate-language'
const i18n = createInstance()

/** Each language is loaded only when it is chosen. */
const loaders: Readonly<Record<ConsoleLanguage, () => Promise<Texts>>> = {
  en: async () => (await import('./en.ts')).en,
  zh: async () => (await import('./zh.ts')).zh,
}
const lazyLoaders: Readonly<Record<ConsoleLanguage, () => Promise<LazyTexts>>> = {
  en: async () => (await import('./en-lazy.ts')).enLazy,
  zh: async () => (await import('./zh-lazy.ts')).zhLazy,
}

let language: ConsoleLanguage = 'en'
let isLazyNeeded = false

export async function startI18n(): Promise<void> {
  language = firstLanguage()
  await i18n.use(initReactI18next).init({
    resources: { [language]: { translation: await loaders[language]() } },
    lng: language,
    fallbackLng: false,
    keySeparator: false,
    nsSeparator: false,
    // React escapes already.
    interpolation: { escapeValue: false },
  })
  i18n.services.formatter?.add('dollars', (amount) => groupDigits(String(amount)))
  setDocumentLanguage()
}

function firstLanguage(): ConsoleLanguage {
  const kept = localStorage.getItem(storageKey)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export async function chooseLanguage(chosen: ConsoleLanguage): Promise<void> {
  localStorage.setItem(storageKey, chosen)
  i18n.addResourceBundle(chosen, 'translation', await loaders[chosen]())
  language = chosen
  if (isLazyNeeded) await loadLazyTexts()
  await i18n.changeLanguage(chosen)
  setDocumentLanguage()
}

/** Loads the texts that most visits do not need. If loading fails, codes are shown instead. */
export async function loadLazyTexts(): Promise<void> {
  isLazyNeeded = true
  const texts = await lazyLoaders[language]().catch(() => ({}))
  i18n.addResourceBundle(language, 'translation', texts)
}

/** A text outside React; inside, `useTranslation` follows a change of the language. */
export function textOf(name: keyof Texts): string {
  return i18n.t(name)
}

/** Screen readers and the choice of Chinese glyphs depend on the document's language. */
function setDocumentLanguage(): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
}

declare module 'i18next' {
  interface CustomTypeOptions {
    keySeparator: false
    nsSeparator: false
    resources: { translation: typeof en & typeof enLazy }
  }
}
