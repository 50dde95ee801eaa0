import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import 'mantine-datatable/styles.css'
import './console.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startI18n } from './i18n/start-i18n.ts'

const element = document.getElementById('root')
if (!element) throw new Error('The page has no #root.')
await startI18n()
createRoot(element).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
