/** For tests: a service that returns what it is sent. */
export { type Items, mirrorService } from './test-service.ts'
