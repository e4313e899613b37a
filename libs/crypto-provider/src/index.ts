export { openSeal, type Seal } from './seal.ts'
