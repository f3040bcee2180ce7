import { describeMalformed } from './scenarios/malformed.js'

describeMalformed({ step: 1, lies: 25 })
