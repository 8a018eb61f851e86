import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Answers with the results of java.net.URLDecoder and URLEncoder, which Spark and Trino call.
 * One question per line on standard input, "OPERATION HEX"; one answer per line: HEX, "error", or "-"
 * if the input cannot be represented as a string.
 */
class Reference {
    public static void main(String[] arguments) throws Exception {
        var questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        var answers = new StringBuilder();
        for (String line; (line = questions.readLine()) != null;) {
            var question = line.split(" ", -1);
            answers.append(answer(question[0], HexFormat.of().parseHex(question[1]))).append('\n');
        }
        System.out.print(answers);
    }

    static String answer(String operation, byte[] bytes) {
        String value;
        try {
            value = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException error) {
            return "-";
        }
        String result;
        try {
            result = operation.equals("encode")
                ? URLEncoder.encode(value, StandardCharsets.UTF_8)
                : URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException error) {
            return "error";
        }
        return HexFormat.of().formatHex(result.getBytes(StandardCharsets.UTF_8));
    }
}
